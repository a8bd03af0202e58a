package falgate

import (
	"errors"
	"strconv"
	"time"

	"editor-actions/internal/fault"
	"editor-actions/internal/typo3"
)

// ErrNotAvailable is the one answer for every reason a file cannot be used (P3).
var ErrNotAvailable = fault.New(fault.NotFound, "not_available", "This action is not available for that record.")

// refusal is the true reason behind ErrNotAvailable, for operators.
type refusal struct {
	reason string
	cause  error
}

func (r *refusal) Error() string {
	if r.cause == nil {
		return "falgate: " + r.reason
	}
	return "falgate: " + r.reason + ": " + r.cause.Error()
}

func (r *refusal) Unwrap() error { return r.cause }

func notAvailable(reason string, cause error) error {
	return ErrNotAvailable.Because(&refusal{reason: reason, cause: cause})
}

// Unusable is ErrNotAvailable for a file that was opened and is no picture that can be
// scaled: cause says why.
func Unusable(cause error) error { return notAvailable(ReasonPicture, cause) }

// Reason gives the operator's word for the reason behind an ErrNotAvailable, or "".
func Reason(err error) string {
	if r, ok := errors.AsType[*refusal](err); ok {
		return r.reason
	}
	return ""
}

// File is a row of sys_file with the name of its storage.
type File struct {
	UID         typo3.FileUID
	Storage     typo3.StorageUID
	StorageName string
	Identifier  string // path in the storage, exact bytes
	Name        string
	MimeType    string
	Extension   string
	Size        int64  // bytes, as indexed
	SHA1        string // of the content, as indexed
	Missing     bool   // marked by the indexer
	Modified    time.Time
	Width       int // pixels, as indexed; 0 = not known
	Height      int
	Metadata    *typo3.Metadata // default language, live; nil when there is no row

	storage *storage
}

// CombinedIdentifier is "1:/press/a.jpg".
func (f *File) CombinedIdentifier() string {
	return strconv.FormatUint(uint64(f.Storage), 10) + ":" + f.Identifier
}

// Access is what a user may do with a file.
type Access struct {
	// What TYPO3 decides. The Write fields are yes, version (only a draft would
	// change), no, no_row (there is no metadata row) or no_login.
	Read, Write, EditMeta                          bool
	WriteAlternative, WriteTitle, WriteDescription string

	// Visible and Usable are ours: "yes", or the first reason why not. A visible
	// file may be shown to the user, a usable one described in their name.
	Visible, Usable string
}

// Yes is the answer that permits.
const Yes = "yes"

// Reasons of this room, in the order they are looked for.
const (
	ReasonNoLogin        = "no_login"
	ReasonNoFile         = "no_file"
	ReasonStorage        = "storage_not_allowed"
	ReasonDriver         = "driver_not_supported"
	ReasonOffline        = "storage_offline"
	ReasonBasePath       = "base_path_invalid"
	ReasonIdentifier     = "identifier_invalid"
	ReasonExcluded       = "excluded_folder"
	ReasonProcessed      = "processed_file"
	ReasonNoRead         = "no_read"
	ReasonMissing        = "missing"
	ReasonNoEditMeta     = "no_edit_meta"
	ReasonWorkspace      = "not_live_workspace"
	ReasonTable          = "table_not_allowed"
	ReasonLanguage       = "language_not_allowed"
	ReasonNoRow          = "no_metadata_row"
	ReasonUnreadable     = "content_unreadable"
	ReasonTooLarge       = "image_too_large"
	ReasonPicture        = "picture_not_usable"
	ReasonFolder         = "no_folder"
	ReasonFolderNotInUse = "folder_not_permitted"
)

// Opened is a file with its content, as the user may read it.
type Opened struct {
	File   File
	Access Access
	Data   []byte
	SHA256 string // of Data, hex
}

// Folder is a folder of a storage.
type Folder struct {
	Storage  typo3.StorageUID
	Path     string // starts and ends with "/"
	Name     string // last part; the storage's name for its root
	Combined string // "1:/press/"
}

// FileWithMetadata is a file in a list.
type FileWithMetadata struct {
	File
}

// FileQuery pages through the files of one folder, or, with MissingAlternative,
// through the pictures without an alternative text in it and everywhere below.
type FileQuery struct {
	Folder             string // combined identifier
	MissingAlternative bool
	After              typo3.FileUID
	Limit              int
}

// FilePage is one page; Next is 0 at the end.
type FilePage struct {
	Files []FileWithMetadata
	Next  typo3.FileUID
}

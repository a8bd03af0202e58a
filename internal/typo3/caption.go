package typo3

import (
	"context"
	"errors"
	"fmt"

	"gorm.io/gorm"
)

// Caption reads the caption beside a file's texts. TYPO3 has the column only with its
// extension filemetadata; without it, and without the row, the caption is "".
func (c *CMS) Caption(ctx context.Context, uid MetadataUID) (string, error) {
	row := map[string]any{} // all columns: a name that is not there would be an error
	err := c.conn(ctx, nil).Model(&MetadataRow{}).Where("uid = ?", uint32(uid)).Take(&row).Error
	if err != nil && !errors.Is(err, gorm.ErrRecordNotFound) {
		return "", fmt.Errorf("typo3: read caption: %w", err)
	}
	switch text := row["caption"].(type) {
	case string:
		return text, nil
	case []byte:
		return string(text), nil
	}
	return "", nil
}

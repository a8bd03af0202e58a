package downscaler

/*
#cgo pkg-config: vips
#include <vips/vips.h>

// shrink_rows fits a picture row by row and gives it as an uncompressed TIFF,
// 8-bit sRGB. A warning of the decoder about a damaged picture is a failure.
static int shrink_rows(void *data, size_t length, int width, int height, int profile, void **out, size_t *size) {
	VipsImage *small = NULL;
	// Without a profile of its own a picture is sRGB already; sending it through one
	// would move its colours.
	int failed = profile
		? vips_thumbnail_buffer(data, length, &small, width, "height", height, "size", VIPS_SIZE_FORCE, "no_rotate", TRUE,
			"export_profile", "srgb", NULL)
		: vips_thumbnail_buffer(data, length, &small, width, "height", height, "size", VIPS_SIZE_FORCE, "no_rotate", TRUE, NULL);
	if (!failed)
		failed = vips_tiffsave_buffer(small, out, size, "strip", TRUE, NULL);
	if (small)
		g_object_unref(small);
	vips_error_clear();
	vips_thread_shutdown();
	return failed;
}
*/
import "C"

import (
	"errors"
	"runtime"
	"unsafe"
)

// shrinkRows is libvips' own thumbnail for formats that cannot shrink while they
// are read (PNG, TIFF). bimg opens those for random access: it decodes them whole,
// and through a file on disk when they are large, which took a 48-megapixel PNG four
// times as long and twice the memory (docs/performance.md). It also weighs colours
// by their transparency, and sees the alpha of 16-bit grey, where bimg does not.
// The result is an uncompressed TIFF of exactly width x height pixels, not turned.
func shrinkRows(data []byte, width, height int, profile bool) ([]byte, error) {
	if len(data) == 0 {
		return nil, errors.New("downscaler: nothing to shrink")
	}
	var out unsafe.Pointer
	var size C.size_t
	hasProfile := 0
	if profile {
		hasProfile = 1
	}
	failed := C.shrink_rows(unsafe.Pointer(&data[0]), C.size_t(len(data)), C.int(width), C.int(height), C.int(hasProfile), &out, &size)
	runtime.KeepAlive(data)
	if out != nil {
		defer C.g_free(C.gpointer(out))
	}
	if failed != 0 || out == nil {
		return nil, errors.New("downscaler: shrink failed")
	}
	return C.GoBytes(out, C.int(size)), nil
}

package upload

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"

	"golang.org/x/image/draw"
	"golang.org/x/image/webp"

	"countersign/models"
)

// The limits of images.
const (
	maxPixels   = 32 << 20 // a decoded image is some 128 MB then
	maxSide     = 16384
	previewSide = 480
)

type decoder struct {
	config func(io.Reader) (image.Config, error)
	image  func(io.Reader) (image.Image, error)
}

// decoders read the images that models take, by what [http.DetectContentType]
// calls them. Of an animation they read the first picture.
var decoders = map[string]*decoder{
	"image/png":  {png.DecodeConfig, png.Decode},
	"image/jpeg": {jpeg.DecodeConfig, jpeg.Decode},
	"image/gif":  {gif.DecodeConfig, gif.Decode},
	"image/webp": {webp.DecodeConfig, webp.Decode},
}

// decoding is held by the one image that is decoded: a few bytes can become
// many.
var decoding = make(chan struct{}, 1)

// preview decodes an image and draws it anew, small. Only this picture is ever
// shown on a page. The size is looked at before anything is decoded.
func preview(ctx context.Context, u models.Upload) ([]byte, error) {
	d := decoders[u.Type]
	config, err := d.config(bytes.NewReader(u.Data))
	if err != nil {
		return nil, broken(u)
	}
	if config.Width > maxSide || config.Height > maxSide || config.Width*config.Height > maxPixels {
		return nil, refuse("%s has %d × %d pixels, which is too many: %d megapixels is the limit. Make it smaller first.", u.Name, config.Width, config.Height, maxPixels>>20)
	}
	select {
	case decoding <- struct{}{}:
		defer func() { <-decoding }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	picture, err := d.image(bytes.NewReader(u.Data))
	if err != nil || picture.Bounds().Empty() {
		return nil, broken(u)
	}
	var out bytes.Buffer
	if err := jpeg.Encode(&out, shrink(picture), &jpeg.Options{Quality: 80}); err != nil {
		return nil, fmt.Errorf("encode a preview: %w", err)
	}
	return out.Bytes(), nil
}

func broken(u models.Upload) error {
	return refuse("%s can’t be read as an image. Save it anew as PNG or JPEG.", u.Name)
}

// shrink draws a picture on white, so that its longer side fits.
func shrink(picture image.Image) image.Image {
	from := picture.Bounds()
	w, h := from.Dx(), from.Dy()
	if longer := max(w, h); longer > previewSide {
		w, h = max(1, w*previewSide/longer), max(1, h*previewSide/longer)
	}
	small := image.NewRGBA(image.Rect(0, 0, w, h))
	draw.Draw(small, small.Bounds(), image.NewUniform(color.White), image.Point{}, draw.Src)
	draw.ApproxBiLinear.Scale(small, small.Bounds(), picture, from, draw.Over, nil)
	return small
}

package config_test

import (
	"testing"

	"editor-actions/internal/config"
)

func TestDefaultSettings_Load(t *testing.T) {
	s := config.DefaultSettings()
	if s.Vision.MaxImageEdge != 1024 {
		t.Fatal(s.Vision.MaxImageEdge)
	}
}

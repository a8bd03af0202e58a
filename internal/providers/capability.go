package providers

import (
	"slices"
	"strings"

	"editor-actions/internal/config"
)

// Capability is something a model can do, as settings name it.
type Capability string

// The capabilities this service asks for.
const (
	CapabilityVision Capability = "vision"
	CapabilityTools  Capability = "tools"
)

// VisionState says whether a model can look at pictures.
type VisionState string

// The three answers.
const (
	VisionYes        VisionState = "yes"
	VisionNo         VisionState = "no"         // it declares capabilities, and vision is none of them
	VisionUndeclared VisionState = "undeclared" // it declares nothing, which is not "cannot"
)

// declared are the capabilities of a model; known is false when nothing says.
type declared struct {
	known bool
	list  []string
}

// declaredBy finds the entry of a model. The offline model is part of this
// program, so what it can do is known without one.
func declaredBy(models []config.Model, vendor, id string) declared {
	for _, m := range models {
		if m.Vendor == vendor && m.ID == id {
			return declared{m.Capabilities != nil, m.Capabilities}
		}
	}
	if vendor == config.VendorDemo {
		return declared{true, []string{string(CapabilityVision), string(CapabilityTools)}}
	}
	return declared{}
}

func (d declared) has(c Capability) bool {
	return slices.ContainsFunc(d.list, func(s string) bool { return strings.EqualFold(strings.TrimSpace(s), string(c)) })
}

// lacks reports whether it is known that c is missing.
func (d declared) lacks(c Capability) bool { return d.known && !d.has(c) }

func (d declared) vision() VisionState {
	switch {
	case !d.known:
		return VisionUndeclared
	case d.has(CapabilityVision):
		return VisionYes
	default:
		return VisionNo
	}
}

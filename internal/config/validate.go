package config

import (
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// validator holds settings against the rules that types cannot say.
type validator struct {
	*report
	warnings []Warning
}

// warn notes what works and is unwise.
func (v *validator) warn(key, format string, args ...any) {
	v.warnings = append(v.warnings, Warning{key, fmt.Sprintf(format, args...)})
}

func between[T int | int64](v *validator, key string, n, least, most T) {
	if n < least || n > most {
		v.problem(key, "%d: must be %d to %d", n, least, most)
	}
}

func (v *validator) oneOf(key, s string, allowed ...string) {
	if !slices.Contains(allowed, s) {
		v.problem(key, "%s: must be one of %s", shown(s), strings.Join(allowed, ", "))
	}
}

func (v *validator) settings(s *Settings) {
	v.vision(&s.Vision)
	v.fal(&s.FAL)
	v.images(&s.Images)
	v.providers(&s.Providers)
	v.loop(s)
	v.notices(s)
	v.guardrails(&s.Guardrails)
	v.sealing(&s.Sealing)
	v.typo3(&s.TYPO3)
	v.server(&s.Server)
	v.signIn(s)
	v.programs(s)
	v.together(s)
}

// together checks what contradicts itself across sections.
func (v *validator) together(s *Settings) {
	if s.Assistant.Enabled && !s.Tools.SetFileAlternativeText && !s.Tools.UpdateFALAssetMeta {
		v.warn("assistant.enabled", "both write tools are off (tools), so the assistant is offered to nobody")
	}
	if strings.HasPrefix(s.Server.PublicOrigin, "https:") && len(s.Server.TrustedProxies) == 0 && s.Server.SignIn == SignInTYPO3 {
		v.warn("server.trustedProxies", "is empty, so the web server that answers for server.publicOrigin is not believed: cookies lack Secure, and BE/lockSSL and BE/lockIP refuse everybody")
	}
	for _, name := range slices.Sorted(maps.Keys(s.Providers.Configurations)) {
		c := s.Providers.Configurations[name]
		if edge := c.Limits.PictureEdge; c.Active && edge > 0 && edge < s.Vision.MaxImageEdge {
			v.warn("providers.configurations."+name+".limits.pictureEdge", "%d is less than vision.maxImageEdge (%d), so larger pictures are never sent", edge, s.Vision.MaxImageEdge)
		}
	}
}

// combinedFolder is a storage and a folder: "1:/private/".
var combinedFolder = regexp.MustCompile(`^[0-9]{1,10}:/[^\x00-\x1f]*$`)

func (v *validator) vision(s *Vision) {
	between(v, "vision.maxImageEdge", s.MaxImageEdge, 64, 4096)
	for i, f := range s.ExcludedFolders {
		key := fmt.Sprintf("vision.excludedFolders[%d]", i)
		_, folder, _ := strings.Cut(f, ":")
		switch {
		case !combinedFolder.MatchString(f):
			v.problem(key, `%s: must be a storage and a folder, for instance "1:/private/"`, shown(f))
		case path.Clean(folder) != strings.TrimSuffix(folder, "/") && folder != "/":
			v.problem(key, "%s: must be a plain path without \"..\", \".\" and \"//\"", shown(f))
		}
	}
	fields := []struct {
		name  string
		field Field
	}{{"alternative", s.Alternative}, {"title", s.Title}, {"description", s.Description}}
	on := false
	for _, f := range fields {
		on = on || f.field.Enabled
		between(v, "vision."+f.name+".maxLength", f.field.MaxLength, 0, 100_000)
		if len(f.field.Prompt) > 20_000 {
			v.problem("vision."+f.name+".prompt", "has %d bytes: must be 20000 at most", len(f.field.Prompt))
		}
	}
	if !on {
		v.warn("vision", "every field is off, so no action is offered")
	}
}

func (v *validator) fal(s *FAL) {
	for i, uid := range s.AllowedStorages {
		if uid == 0 {
			v.problem(fmt.Sprintf("fal.allowedStorages[%d]", i), "0: TYPO3 checks no permissions in its built-in storage 0, so it is never used")
		}
	}
	if len(s.AllowedStorages) == 0 {
		v.warn("fal.allowedStorages", "no storage is allowed, so no file can be used")
	}
}

func (v *validator) images(s *Images) {
	between(v, "images.maxFileBytes", s.MaxFileBytes, 1024, 1<<30)
	between(v, "images.maxPixelsJPEG", s.MaxPixelsJPEG, 10_000, 1_000_000_000)
	between(v, "images.maxPixels", s.MaxPixels, 10_000, 1_000_000_000)
	between(v, "images.workers", s.Workers, 1, 64)
	between(v, "images.queueLength", s.QueueLength, 0, 10_000)
	between(v, "images.timeoutSeconds", s.TimeoutSeconds, 1, 600)
	between(v, "images.workerMemoryMiB", s.WorkerMemoryMiB, 128, 65_536)
	between(v, "images.workerPictures", s.WorkerPictures, 1, 1_000_000)
	between(v, "images.cacheMiB", s.CacheMiB, 0, 1<<20)
}

// loop checks what rules runs and their decisions.
func (v *validator) loop(s *Settings) {
	between(v, "agent.maxTurns", s.Agent.MaxTurns, 1, 20)
	between(v, "agent.leaseSeconds", s.Agent.LeaseSeconds, 5, 3600)
	between(v, "agent.workers", s.Agent.Workers, 1, 64)
	between(v, "agent.maxAttempts", s.Agent.MaxAttempts, 1, 20)
	v.oneOf("agent.closingTurn", s.Agent.ClosingTurn, ClosingTurnFull, ClosingTurnOff)
	between(v, "assistant.maxSteps", s.Assistant.MaxSteps, 1, 50)
	between(v, "assistant.maxPictures", s.Assistant.MaxPictures, 0, 100)
	between(v, "assistant.maxProposals", s.Assistant.MaxProposals, 1, 100)
	between(v, "assistant.maxTokens", s.Assistant.MaxTokens, 0, 1_000_000_000)
	if c := s.Assistant.MaxCost; c < 0 || c > 1_000_000 || c != c {
		v.problem("assistant.maxCost", "%v: must be 0 to 1000000", c)
	} else if used := s.Providers.Configurations[s.Providers.Default]; c > 0 && s.Assistant.Enabled && used.Model != "" && !pricedModel(s.Providers.Models, used.Vendor, used.Model) {
		v.warn("assistant.maxCost", "providers.models has no price for %s, so every request ends after one answer", shown(used.Model))
	}
	between(v, "review.expireAfterDays", s.Review.ExpireAfterDays, 0, 3650)
	between(v, "review.remindAfterDays", s.Review.RemindAfterDays, 0, 3650)
	if r := s.Review; r.RemindAfterDays > 0 && r.ExpireAfterDays > 0 && r.RemindAfterDays >= r.ExpireAfterDays {
		v.problem("review.remindAfterDays", "%d: must be less than review.expireAfterDays (%d), or 0 for never", r.RemindAfterDays, r.ExpireAfterDays)
	}
	if s.Review.RequireSecondApprover && len(s.Review.ApproverGroups) == 0 {
		v.warn("review.requireSecondApprover", "without review.approverGroups only an administrator can be the second person")
	}
	v.oneOf("privacy.level", s.Privacy.Level, PrivacyNone, PrivacyMetadata, PrivacyRedacted, PrivacyFull)
	between(v, "privacy.retentionDays", s.Privacy.RetentionDays, 0, 3650)
	if s.Privacy.Level == PrivacyFull {
		v.warn("privacy.level", "full keeps prompts, answers and pictures in the event table")
	}
}

func (v *validator) guardrails(s *Guardrails) {
	seen := map[string]bool{}
	for i, p := range s.Patterns {
		key := fmt.Sprintf("guardrails.patterns[%d]", i)
		switch {
		case p.Name == "":
			v.problem(key+".name", "must not be empty")
		case seen[p.Name]:
			v.problem(key+".name", "%s: another pattern has this name", shown(p.Name))
		}
		seen[p.Name] = true
		v.oneOf(key+".verdict", p.Verdict, "redact", "deny", "require_approval")
		re, err := regexp.Compile(p.Pattern)
		switch {
		case p.Pattern == "":
			v.problem(key+".pattern", "must not be empty")
		case err != nil:
			v.problem(key+".pattern", "is no valid RE2 pattern: %v", err)
		case re.MatchString(""):
			v.problem(key+".pattern", "matches the empty text, so it would match every text")
		}
	}
}

func (v *validator) sealing(s *Sealing) {
	if s.KeysetFile != "" && !s.Keyset.Empty() {
		v.problem("sealing.keyset", "is set together with sealing.keysetFile: keep one")
	}
	v.absolute("sealing.keysetFile", s.KeysetFile)
}

// programs checks what agents and other programs get.
func (v *validator) programs(s *Settings) {
	between(v, "mcp.maxWaiting", s.MCP.MaxWaiting, 1, 10_000)
	between(v, "mcp.callsPerMinute", s.MCP.CallsPerMinute, 1, 100_000)
	if s.MCP.Enabled && s.Server.PublicOrigin == "" {
		v.warn("server.publicOrigin", "is empty, so agents are told review addresses without a host")
	}
	between(v, "inline.maxImageBytes", s.Inline.MaxImageBytes, 0, 64<<20)
	between(v, "inline.maxBinaryBytes", s.Inline.MaxBinaryBytes, 0, 16<<20)
}

// absolute: a relative path would depend on where the service was started.
func (v *validator) absolute(key, p string) {
	if p != "" && !filepath.IsAbs(p) {
		v.problem(key, "%s: must be an absolute path", shown(p))
	}
}

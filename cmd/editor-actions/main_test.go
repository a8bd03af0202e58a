package main

import (
	"context"
	"os"
	"testing"
)

// envRunMain makes the test binary behave as the program, so that tests can
// kill a real process.
const envRunMain = "EDITOR_ACTIONS_TEST_RUN_MAIN"

func TestMain(m *testing.M) {
	if os.Getenv(envRunMain) != "" || len(os.Args) > 1 && os.Args[1] == "image-worker" {
		os.Exit(run(context.Background(), os.Args[1:], os.LookupEnv, os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

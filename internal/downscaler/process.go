package downscaler

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
)

// process is one running worker. It is used by one goroutine at a time.
type process struct {
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  io.ReadCloser
	done int // pictures so far
}

// startProcess starts a worker with the environment libvips needs: one thread
// a call, and no loader that is meant for trusted input only.
func startProcess(command []string, memoryMiB int) (*process, error) {
	cmd := exec.Command(command[0], command[1:]...) //nolint:gosec,noctx // our own binary; it outlives the request that starts it
	cmd.Env = append(os.Environ(), "VIPS_BLOCK_UNTRUSTED=1", "VIPS_CONCURRENCY=1", fmt.Sprintf("%s=%d", envMemory, memoryMiB), "GOMAXPROCS=2")
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("downscaler: start worker: %w", err)
	}
	return &process{cmd: cmd, in: in, out: out}, nil
}

// do sends one picture and waits for the answer. When ctx ends the process is
// killed: a libvips call cannot be interrupted. After an error the process is
// gone and must be replaced.
func (p *process) do(ctx context.Context, pl plan, data []byte) ([]byte, answer, error) {
	stop := context.AfterFunc(ctx, func() { _ = p.cmd.Process.Kill() })
	defer stop()
	p.done++
	var a answer
	err := send(p.in, pl, data)
	var result []byte
	if err == nil {
		result, err = receive(p.out, &a)
	}
	if err != nil {
		p.kill()
		if ctx.Err() != nil {
			return nil, answer{}, ctx.Err()
		}
		return nil, answer{}, fmt.Errorf("downscaler: worker ended (%s): %w", p.cmd.ProcessState, err)
	}
	return result, a, nil
}

// close ends an idle worker and waits for it.
func (p *process) close() {
	_ = p.in.Close() // the worker reads the end and goes
	_ = p.cmd.Wait()
}

func (p *process) kill() {
	_ = p.cmd.Process.Kill()
	_ = p.in.Close()
	_ = p.cmd.Wait()
}

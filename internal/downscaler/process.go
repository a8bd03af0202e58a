package downscaler

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// goodbye is how long an idle worker may take to end by itself.
const goodbye = time.Second

// process is one running worker. It is used by one goroutine at a time.
type process struct {
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  io.ReadCloser
	mem  *os.File // memory that the worker sees as pictureFD: what it works on
	done int      // pictures so far
	gone bool     // it ended, or is about to
}

// inherited are the only variables a worker gets from the service: what the
// loader and the system need. It reads hostile bytes, so keys and passwords stay
// away from it; so does VIPS_WARNING, which would silence what tells cut pictures.
var inherited = []string{"PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "LD_LIBRARY_PATH", "GOCOVERDIR", "GORACE"}

func workerEnvironment(memoryMiB int) []string {
	env := []string{
		"VIPS_BLOCK_UNTRUSTED=1", // no loader that is meant for trusted input only
		"VIPS_CONCURRENCY=1",     // one picture, one thread: as many workers as cores
		"MALLOC_ARENA_MAX=2",     // libvips' own threads would each keep memory
		fmt.Sprintf("%s=%d", envMemory, memoryMiB),
		"GOMAXPROCS=2",
	}
	for _, name := range inherited {
		if v, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+v)
		}
	}
	return env
}

// startProcess starts a worker in a process group of its own: an interrupt from
// the terminal is for the service, which lets pictures in work finish.
func startProcess(command []string, memoryMiB int) (*process, error) {
	cmd := exec.Command(command[0], command[1:]...) //nolint:gosec,noctx // our own binary; it outlives the request that starts it
	cmd.Env = workerEnvironment(memoryMiB)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	fd, err := unix.MemfdCreate("picture", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("downscaler: memory for pictures: %w", err)
	}
	p := &process{cmd: cmd, in: in, out: out, mem: os.NewFile(uintptr(fd), "picture")}
	cmd.ExtraFiles = []*os.File{p.mem} // the first one becomes pictureFD
	if err := cmd.Start(); err != nil {
		_ = p.mem.Close()
		return nil, fmt.Errorf("downscaler: start worker: %w", err)
	}
	return p, nil
}

// hand puts a picture where the worker reads it. A pipe would copy it twice, 64 KiB
// at a time, and the worker would need memory of its own for it.
func (p *process) hand(data []byte) error {
	if err := p.mem.Truncate(int64(len(data))); err != nil {
		return err
	}
	_, err := p.mem.WriteAt(data, 0)
	return err
}

// do sends one picture and waits for the answer. When ctx ends the process is
// killed: a libvips call cannot be interrupted. After an error the process is
// gone and must be replaced.
func (p *process) do(ctx context.Context, pl plan, data []byte) ([]byte, answer, error) {
	stop := context.AfterFunc(ctx, p.abort)
	p.done++
	var a answer
	var result []byte
	pl.Bytes = len(data)
	err := p.hand(data)
	if err == nil {
		err = send(p.in, pl, nil)
	}
	if err == nil {
		result, err = receive(p.out, &a, maxAnswer)
	}
	_ = p.mem.Truncate(0) // the picture is gone from memory; the worker has let go of it, or is dead
	if !stop() {
		p.gone = true // ctx ended while the answer came in
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

// abort may be called at any time, from any goroutine.
func (p *process) abort() { _ = p.cmd.Process.Kill() }

// close ends a worker that is idle, and waits for it.
func (p *process) close() {
	if p.gone {
		p.kill()
		return
	}
	late := time.AfterFunc(goodbye, p.abort)
	defer late.Stop()
	_ = p.in.Close() // the worker reads the end and goes
	_ = p.cmd.Wait()
	_ = p.mem.Close()
}

// kill ends a worker whatever it does, and waits for it. It may be called twice.
func (p *process) kill() {
	p.gone = true
	p.abort()
	_ = p.in.Close()
	_ = p.cmd.Wait()
	_ = p.mem.Close()
}

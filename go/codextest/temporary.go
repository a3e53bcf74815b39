package codextest

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
)

// left is the end of the name of a folder: the process that made it, and something random.
var left = regexp.MustCompile(`^(\d+)-\w+$`)

// temporary makes a folder. Whoever made it removes it; what a process left that was killed, this removes. The packages of other
// languages give their folders the same names.
func temporary() (string, error) {
	host, err := os.Hostname()
	if err != nil {
		return "", err
	}
	// Containers may share the folder of temporary files, but not their processes.
	prefix := fmt.Sprintf("codex-wire-%s-", url.PathEscape(host))
	entries, err := os.ReadDir(os.TempDir())
	if err != nil {
		return "", err
	}
	for _, entry := range entries {
		name, isOurs := strings.CutPrefix(entry.Name(), prefix)
		owner := left.FindStringSubmatch(name)
		if isOurs && owner != nil && isGone(owner[1]) {
			os.RemoveAll(filepath.Join(os.TempDir(), entry.Name()))
		}
	}
	return os.MkdirTemp("", fmt.Sprintf("%s%d-", prefix, os.Getpid()))
}

// isGone says whether a process is gone. One of another user is there, and Windows cannot be asked in this way.
func isGone(owner string) bool {
	pid, err := strconv.Atoi(owner)
	if err != nil {
		return false
	}
	process, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	err = process.Signal(syscall.Signal(0))
	return errors.Is(err, os.ErrProcessDone) || errors.Is(err, syscall.ESRCH)
}

// Command kube runs a Kubernetes API server of one release with etcd in one process.
//
// When the server is ready, it prints one line of JSON: the path of a kubeconfig file for an administrator, and the address
// of etcd, to which a server of another release can be connected (--etcd). It runs until standard input is closed, so that
// it also ends if the process that started it is killed. All files are in a folder that is removed at the end. The log is
// written to standard error. Folders of servers that were killed are removed by the next start.
package main

import (
	"bufio"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"syscall"
)

// release is the release of the server. The build sets it.
var release = "unknown"

// ready is the line that says how to reach the server.
type ready struct {
	Release    string `json:"release"`
	Kubeconfig string `json:"kubeconfig"`
	Etcd       string `json:"etcd"`
}

func main() {
	etcd := flag.String("etcd", "", "address of the etcd of another server; without it, the server has its own")
	printRelease := flag.Bool("release", false, "print the release and exit")
	flag.Parse()
	if *printRelease {
		fmt.Println(release)
		return
	}
	if err := run(*etcd); err != nil {
		fmt.Fprintln(os.Stderr, "kube:", err)
		os.Exit(1)
	}
}

func run(etcdAddress string) error {
	context, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer cancel()
	// If nobody reads the log any more, the folder still has to be removed.
	signal.Ignore(syscall.SIGPIPE)
	go func() {
		io.Copy(io.Discard, bufio.NewReader(os.Stdin))
		cancel()
	}()
	removeLeftFolders()
	folder, err := os.MkdirTemp("", folderPrefix+strconv.Itoa(os.Getpid())+"-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	if etcdAddress == "" {
		address, stop, err := startEtcd(filepath.Join(folder, "etcd"))
		if err != nil {
			return fmt.Errorf("etcd: %w", err)
		}
		defer stop()
		etcdAddress = address
	}
	server, err := newServer(folder, etcdAddress)
	if err != nil {
		return err
	}
	failed := make(chan error, 1)
	go func() { failed <- server.serve(context) }()
	if err := server.waitUntilReady(context, failed); err != nil {
		return err
	}
	kubeconfig, err := server.writeKubeconfig()
	if err != nil {
		return err
	}
	line, err := json.Marshal(ready{release, kubeconfig, etcdAddress})
	if err != nil {
		return err
	}
	fmt.Println(string(line))
	select {
	case <-context.Done():
		// Nothing is kept, so that the API server does not have to end its requests.
		return nil
	case err := <-failed:
		if err == nil {
			err = errors.New("the API server has stopped")
		}
		return err
	}
}

// folderPrefix begins the names of folders. The process follows.
const folderPrefix = "skewer-kube-"

// removeLeftFolders removes the folders of processes that do not exist any more.
func removeLeftFolders() {
	folders, _ := filepath.Glob(filepath.Join(os.TempDir(), folderPrefix+"*"))
	for _, folder := range folders {
		var process int
		if _, err := fmt.Sscanf(filepath.Base(folder), folderPrefix+"%d-", &process); err != nil {
			continue
		}
		if errors.Is(syscall.Kill(process, 0), syscall.ESRCH) {
			os.RemoveAll(folder)
		}
	}
}

// freeAddress returns an address of this machine that nobody listens on.
func freeAddress() (string, int, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", 0, err
	}
	defer listener.Close()
	port := listener.Addr().(*net.TCPAddr).Port
	return "127.0.0.1:" + strconv.Itoa(port), port, nil
}

func mustURL(address string) url.URL { return url.URL{Scheme: "http", Host: address} }

func newToken() (string, error) {
	bytes := make([]byte, 16)
	_, err := rand.Read(bytes)
	return hex.EncodeToString(bytes), err
}

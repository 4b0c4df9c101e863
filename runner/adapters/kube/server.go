package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"k8s.io/kubernetes/cmd/kube-apiserver/app"
)

// server is the API server.
type server struct {
	folder, address, token string
	arguments              []string
}

// newServer writes the keys and the tokens of a server, and chooses its port.
func newServer(folder, etcd string) (*server, error) {
	_, port, err := freeAddress()
	if err != nil {
		return nil, err
	}
	token, err := newToken()
	if err != nil {
		return nil, err
	}
	tokens, key := filepath.Join(folder, "tokens.csv"), filepath.Join(folder, "service-account.key")
	if err := os.WriteFile(tokens, []byte(token+",skewer,skewer,system:masters\n"), 0o600); err != nil {
		return nil, err
	}
	if err := writeKey(key); err != nil {
		return nil, err
	}
	return &server{
		folder:  folder,
		address: "https://127.0.0.1:" + strconv.Itoa(port),
		token:   token,
		arguments: []string{
			"--etcd-servers=" + etcd,
			"--bind-address=127.0.0.1",
			"--secure-port=" + strconv.Itoa(port),
			"--cert-dir=" + filepath.Join(folder, "certificates"),
			"--token-auth-file=" + tokens,
			"--anonymous-auth=false",
			"--authorization-mode=AlwaysAllow",
			"--service-account-issuer=https://kubernetes.default.svc",
			"--service-account-key-file=" + key,
			"--service-account-signing-key-file=" + key,
			"--service-cluster-ip-range=10.0.0.0/24",
			// There are no controllers that would create service accounts.
			"--disable-admission-plugins=ServiceAccount",
			"--endpoint-reconciler-type=none",
			"--profiling=false",
			// One client sends many requests.
			"--enable-priority-and-fairness=false",
			"--max-requests-inflight=0",
			"--max-mutating-requests-inflight=0",
		},
	}, nil
}

// writeKubeconfig writes a kubeconfig file with the token of an administrator, and returns its path.
func (s *server) writeKubeconfig() (string, error) {
	type object = map[string]any
	const name = "skewer"
	// The server has made this certificate for itself.
	cluster := object{"server": s.address, "certificate-authority": filepath.Join(s.folder, "certificates", "apiserver.crt")}
	text, err := json.Marshal(object{
		"apiVersion":      "v1",
		"kind":            "Config",
		"current-context": name,
		"clusters":        []object{{"name": name, "cluster": cluster}},
		"users":           []object{{"name": name, "user": object{"token": s.token}}},
		"contexts":        []object{{"name": name, "context": object{"cluster": name, "user": name}}},
	})
	if err != nil {
		return "", err
	}
	path := filepath.Join(s.folder, "kubeconfig")
	return path, os.WriteFile(path, text, 0o600)
}

func (s *server) serve(context context.Context) error {
	command := app.NewAPIServerCommand()
	command.SetArgs(s.arguments)
	command.SilenceUsage = true
	return command.ExecuteContext(context)
}

// waitUntilReady waits until the server says that it is ready.
func (s *server) waitUntilReady(context context.Context, failed <-chan error) error {
	client := http.Client{
		Timeout: time.Second,
		// The certificate is that of this process.
		Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}},
	}
	request, err := http.NewRequestWithContext(context, http.MethodGet, s.address+"/readyz", nil)
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", "Bearer "+s.token)
	deadline := time.After(2 * time.Minute)
	for {
		if response, err := client.Do(request); err == nil {
			response.Body.Close()
			if response.StatusCode == http.StatusOK {
				return nil
			}
		}
		select {
		case err := <-failed:
			return fmt.Errorf("the API server has stopped: %w", err)
		case <-deadline:
			return fmt.Errorf("the API server was not ready after two minutes")
		case <-context.Done():
			return context.Err()
		case <-time.After(50 * time.Millisecond):
		}
	}
}

func writeKey(path string) error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	bytes, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return err
	}
	return os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: bytes}), 0o600)
}

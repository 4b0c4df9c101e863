// Command skewer-kubectl-apply answers the Skewer adapter protocol with the command `kubectl apply`, on the client side and
// on the server side. The protocol is described in ../PROTOCOL.md.
package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"

	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/kubectl/pkg/cmd/apply"
	cmdutil "k8s.io/kubectl/pkg/cmd/util"

	"skewer.dev/clients"
)

func main() {
	cmdutil.BehaviorOnFatal(func(message string, _ int) { panic(fatal(message)) })
	clients.Main(clients.Client{
		Name:   "kubectl",
		Module: "k8s.io/kubectl",
		Tools:  []string{"kubectl", "kubectl-csa"},
		Apply:  run,
	})
}

// fatal is the message with which kubectl would end.
type fatal string

func run(_ context.Context, exchange *clients.Exchange) (err error) {
	defer func() {
		switch value := recover().(type) {
		case nil:
		case fatal:
			err = errors.New(string(value))
		default:
			panic(value)
		}
	}()
	manifest := filepath.Join(exchange.Folder, "manifest.json")
	if err := os.WriteFile(manifest, exchange.Manifest, 0o600); err != nil {
		return err
	}
	cache := filepath.Join(exchange.Folder, "cache")
	flags := genericclioptions.NewConfigFlags(true)
	flags.KubeConfig, flags.CacheDir = &exchange.Kubeconfig, &cache
	factory := cmdutil.NewFactory(cmdutil.NewMatchVersionFlags(flags))
	var out bytes.Buffer
	command := apply.NewCmdApply("kubectl", factory, genericiooptions.IOStreams{In: &bytes.Buffer{}, Out: &out, ErrOut: &out})
	arguments := []string{"--filename", manifest}
	if exchange.Tool == "kubectl" {
		arguments = append(arguments, "--server-side")
		if exchange.Force {
			arguments = append(arguments, "--force-conflicts")
		}
	}
	command.SetArgs(arguments)
	return command.Execute()
}

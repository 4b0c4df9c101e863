//go:build release_3

package main

import (
	"context"

	"helm.sh/helm/v3/pkg/action"
	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/kube"
	"helm.sh/helm/v3/pkg/release"
	"helm.sh/helm/v3/pkg/time"

	"skewer.dev/clients"
)

func main() {
	// The name that the command line sets.
	kube.ManagedFieldsManager = "helm"
	clients.Main(clients.Client{
		Name:   "Helm",
		Module: "helm.sh/helm/v3",
		Tools:  []string{"helm3"},
		Apply:  apply,
	})
}

func apply(ctx context.Context, exchange *clients.Exchange) error {
	configuration := new(action.Configuration)
	if err := configuration.Init(getter(exchange), exchange.Namespace, "memory", func(string, ...any) {}); err != nil {
		return err
	}
	chrt := &chart.Chart{
		Metadata:  &chart.Metadata{APIVersion: "v2", Name: chartName, Version: "0.1.0"},
		Templates: []*chart.File{{Name: chartFile, Data: []byte(chartTemplate)}},
	}
	if exchange.Previous == nil {
		install := action.NewInstall(configuration)
		install.ReleaseName, install.Namespace = releaseName, exchange.Namespace
		_, err := install.RunWithContext(ctx, chrt, values(exchange.Manifest))
		return refused(err)
	}
	now := time.Now()
	err := configuration.Releases.Create(&release.Release{
		Name:      releaseName,
		Namespace: exchange.Namespace,
		Version:   1,
		Chart:     chrt,
		Config:    values(exchange.Previous),
		Manifest:  rendered(exchange.Previous),
		Info:      &release.Info{Status: release.StatusDeployed, FirstDeployed: now, LastDeployed: now},
	})
	if err != nil {
		return err
	}
	upgrade := action.NewUpgrade(configuration)
	upgrade.Namespace = exchange.Namespace
	_, err = upgrade.RunWithContext(ctx, releaseName, chrt, values(exchange.Manifest))
	return refused(err)
}

package main

import (
	"errors"
	"net/url"
	"time"

	"go.etcd.io/etcd/server/v3/embed"
)

// startEtcd starts an etcd whose data is in a folder, and returns its address.
func startEtcd(folder string) (string, func(), error) {
	client, _, err := freeAddress()
	if err != nil {
		return "", nil, err
	}
	peer, _, err := freeAddress()
	if err != nil {
		return "", nil, err
	}
	config := embed.NewConfig()
	config.Dir = folder
	config.LogLevel = "error"
	// The data is removed at the end.
	config.UnsafeNoFsync = true
	config.ListenClientUrls = []url.URL{mustURL(client)}
	config.AdvertiseClientUrls = config.ListenClientUrls
	config.ListenPeerUrls = []url.URL{mustURL(peer)}
	config.AdvertisePeerUrls = config.ListenPeerUrls
	config.InitialCluster = config.InitialClusterFromName(config.Name)
	etcd, err := embed.StartEtcd(config)
	if err != nil {
		return "", nil, err
	}
	select {
	case <-etcd.Server.ReadyNotify():
		return "http://" + client, etcd.Close, nil
	case <-time.After(time.Minute):
		etcd.Close()
		return "", nil, errors.New("not ready after a minute")
	}
}

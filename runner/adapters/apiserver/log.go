package main

import (
	"flag"
	"io"

	"k8s.io/klog/v2"
)

func initLogFlags(flags *flag.FlagSet) { klog.InitFlags(flags) }

func discardLogs() { klog.SetOutput(io.Discard) }

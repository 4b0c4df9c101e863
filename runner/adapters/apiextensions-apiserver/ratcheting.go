package main

import (
	"fmt"

	"k8s.io/apiextensions-apiserver/pkg/features"
	"k8s.io/apimachinery/pkg/util/version"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/component-base/featuregate"
)

// newest is the version that the feature gates have on their own.
var newest = utilfeature.DefaultFeatureGate.(featuregate.MutableVersionedFeatureGate).EmulationVersion()

// beforeLock is the last version but one in which ratcheting can be turned off: from 1.33 on, its gate is locked.
var beforeLock = version.MajorMinor(1, 31)

// setRatcheting turns ratcheting on or off for the whole process. To turn it off, the feature gates have to emulate a
// release in which its gate is not locked.
func setRatcheting(on bool) error {
	gates := utilfeature.DefaultMutableFeatureGate.(featuregate.MutableVersionedFeatureGate)
	if gates.Enabled(features.CRDValidationRatcheting) == on {
		return nil
	}
	if !on {
		if err := gates.SetEmulationVersion(beforeLock); err != nil {
			return err
		}
	}
	if err := gates.SetFromMap(map[string]bool{string(features.CRDValidationRatcheting): on}); err != nil {
		return err
	}
	if on {
		if err := gates.SetEmulationVersion(newest); err != nil {
			return err
		}
	}
	if gates.Enabled(features.CRDValidationRatcheting) != on {
		return fmt.Errorf("ratcheting cannot be set to %v", on)
	}
	return nil
}

package runtime

type RawExtension struct {
	Raw []byte
}

type Object interface{ GetObjectKind() }

package main

import (
	"fmt"
	"slices"
	"strconv"

	"sigs.k8s.io/kustomize/kyaml/yaml"

	"skewer.dev/conversation"
	"skewer.dev/requests"
)

// node returns the YAML node of a value. A YAML parser makes the same nodes of the same text, but does not read all
// JSON strings.
func node(value any) (*yaml.Node, error) {
	switch value := value.(type) {
	case nil:
		return scalar(yaml.NodeTagNull, "null"), nil
	case bool:
		return scalar(yaml.NodeTagBool, strconv.FormatBool(value)), nil
	case int64:
		return scalar(yaml.NodeTagInt, strconv.FormatInt(value, 10)), nil
	case float64:
		text, err := requests.AppendFloat(nil, value)
		return scalar(yaml.NodeTagFloat, string(text)), err
	case string:
		return scalar(yaml.NodeTagString, value), nil
	case []any:
		list := &yaml.Node{Kind: yaml.SequenceNode, Tag: yaml.NodeTagSeq}
		for _, item := range value {
			content, err := node(item)
			if err != nil {
				return nil, err
			}
			list.Content = append(list.Content, content)
		}
		return list, nil
	case map[string]any:
		keys := make([]string, 0, len(value))
		for key := range value {
			keys = append(keys, key)
		}
		slices.Sort(keys)
		object := &yaml.Node{Kind: yaml.MappingNode, Tag: yaml.NodeTagMap}
		for _, key := range keys {
			content, err := node(value[key])
			if err != nil {
				return nil, err
			}
			object.Content = append(object.Content, scalar(yaml.NodeTagString, key), content)
		}
		return object, nil
	default:
		return nil, fmt.Errorf("a %T cannot be in a document", value)
	}
}

func scalar(tag, text string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: tag, Value: text}
}

// appendNode writes a YAML node as JSON.
func appendNode(b []byte, n *yaml.Node) ([]byte, error) {
	var err error
	switch n.Kind {
	case yaml.MappingNode:
		b = append(b, '{')
		for i := 0; i+1 < len(n.Content); i += 2 {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(conversation.AppendString(b, n.Content[i].Value), ':')
			if b, err = appendNode(b, n.Content[i+1]); err != nil {
				return nil, err
			}
		}
		return append(b, '}'), nil
	case yaml.SequenceNode:
		b = append(b, '[')
		for i, item := range n.Content {
			if i > 0 {
				b = append(b, ',')
			}
			if b, err = appendNode(b, item); err != nil {
				return nil, err
			}
		}
		return append(b, ']'), nil
	case yaml.ScalarNode:
		return appendScalar(b, n)
	default:
		return nil, fmt.Errorf("a YAML node of kind %d cannot be in a document", n.Kind)
	}
}

func appendScalar(b []byte, n *yaml.Node) ([]byte, error) {
	switch n.ShortTag() {
	case yaml.NodeTagNull, yaml.NodeTagBool, yaml.NodeTagInt, yaml.NodeTagFloat:
		var value any
		if err := n.Decode(&value); err != nil {
			return nil, err
		}
		if unsigned, ok := value.(uint64); ok {
			value = float64(unsigned)
		}
		return requests.AppendValue(b, value)
	default:
		return conversation.AppendString(b, n.Value), nil
	}
}

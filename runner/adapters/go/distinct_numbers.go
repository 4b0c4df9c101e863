package main

import "fmt"

// checkDistinctNumbers refuses documents on which merging may not come to an end: a list has two different integers
// that are the same float64, as items or under the same key of its items. The library compares integers with each other
// exactly, and with floats as floats, so that equality is not transitive.
func checkDistinctNumbers(v any) error {
	switch v := v.(type) {
	case map[string]any:
		for _, member := range v {
			if err := checkDistinctNumbers(member); err != nil {
				return err
			}
		}
	case []any:
		return checkDistinctItems(v)
	}
	return nil
}

func checkDistinctItems(items []any) error {
	// The integers by their key and their float. The key of an item itself is empty.
	type found struct {
		key   string
		float float64
	}
	var seen map[found]int64
	check := func(place found, v any) error {
		integer, ok := v.(int64)
		if !ok || (-maxExactInteger <= integer && integer <= maxExactInteger) {
			return nil
		}
		place.float = float64(integer)
		if seen == nil {
			seen = map[found]int64{}
		}
		if other, ok := seen[place]; ok && other != integer {
			low, high := min(other, integer), max(other, integer)
			message := fmt.Sprintf("the integers %d and %d in a list are the same float", low, high)
			return &kindedError{kindIndistinctNumbers, message}
		}
		seen[place] = integer
		return nil
	}
	for _, item := range items {
		if err := check(found{}, item); err != nil {
			return err
		}
		if fields, ok := item.(map[string]any); ok {
			for key, value := range fields {
				if err := check(found{key: key}, value); err != nil {
					return err
				}
			}
		}
		if err := checkDistinctNumbers(item); err != nil {
			return err
		}
	}
	return nil
}

// maxExactInteger is less than every integer that shares its float with another one.
const maxExactInteger = 1<<53 - 1

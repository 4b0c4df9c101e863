type Root struct {
  // +optional
  Items []Item `json:"items,omitempty" patchStrategy:"merge" patchMergeKey:"name"`
  Item `json:",inline"`
}
type Item struct {
  Name Kind `json:"name"`
}
type Kind string
const (
  A Kind = "a"
)

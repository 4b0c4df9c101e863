package clients

import (
	"bytes"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"

	"k8s.io/client-go/rest"
)

// Request is a request that a tool sent to an object, and how the server answered.
type Request struct {
	Method      string `json:"method"`
	Path        string `json:"path"`
	ContentType string `json:"contentType,omitempty"`
	// Body is JSON, or a string if the body is another text.
	Body   json.RawMessage `json:"body,omitempty"`
	Status int             `json:"status"`
	// Response is the body of an answer that is an error.
	Response json.RawMessage `json:"response,omitempty"`
}

// recorder is a proxy on the loopback interface that records the requests to objects: all but those for the lists and
// the descriptions of types.
type recorder struct {
	listener net.Listener
	server   *http.Server
	proxy    *httputil.ReverseProxy
	mutex    sync.Mutex
	recorded []*Request
}

// record starts a proxy of a server.
func record(upstream *rest.Config) (*recorder, error) {
	transport, err := rest.TransportFor(upstream)
	if err != nil {
		return nil, err
	}
	address, _, err := rest.DefaultServerUrlFor(upstream)
	if err != nil {
		return nil, err
	}
	return newRecorder(address, transport)
}

func newRecorder(upstream *url.URL, transport http.RoundTripper) (*recorder, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	proxy := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: upstream.Scheme, Host: upstream.Host})
	proxy.Transport = transport
	// A watch is passed on as it comes.
	proxy.FlushInterval = -1
	r := &recorder{listener: listener, proxy: proxy}
	r.server = &http.Server{Handler: r}
	go func() { _ = r.server.Serve(listener) }()
	return r, nil
}

func (r *recorder) address() string { return "http://" + r.listener.Addr().String() }

func (r *recorder) close() { _ = r.server.Close() }

func (r *recorder) requests() []*Request {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	return append([]*Request{}, r.recorded...)
}

// ServeHTTP passes a request on.
func (r *recorder) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	if !concernsObjects(request.URL.Path) {
		r.proxy.ServeHTTP(w, request)
		return
	}
	body, err := io.ReadAll(request.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	request.Body = io.NopCloser(bytes.NewReader(body))
	entry := &Request{
		Method:      request.Method,
		Path:        request.URL.RequestURI(),
		ContentType: request.Header.Get("Content-Type"),
		Body:        asJSON(body),
	}
	// The order is that of the requests, and not that of the answers.
	r.mutex.Lock()
	r.recorded = append(r.recorded, entry)
	r.mutex.Unlock()
	watched := &watchedWriter{ResponseWriter: w, status: http.StatusOK}
	r.proxy.ServeHTTP(watched, request)
	r.mutex.Lock()
	defer r.mutex.Unlock()
	entry.Status, entry.Response = watched.status, asJSON(watched.errorBody.Bytes())
}

// concernsObjects returns false for lists of types, their descriptions and the state of the server.
func concernsObjects(path string) bool {
	parts := strings.Split(strings.Trim(path, "/"), "/")
	switch parts[0] {
	case "api":
		return len(parts) > 2
	case "apis":
		return len(parts) > 3
	}
	return false
}

// asJSON returns a text that is JSON as it is, any other text as a string, and nothing for no text.
func asJSON(text []byte) json.RawMessage {
	if len(text) == 0 {
		return nil
	}
	if json.Valid(text) {
		return json.RawMessage(text)
	}
	quoted, _ := json.Marshal(string(text))
	return quoted
}

// watchedWriter notes the status of an answer, and the body of an error.
type watchedWriter struct {
	http.ResponseWriter
	status    int
	errorBody bytes.Buffer
}

func (w *watchedWriter) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

func (w *watchedWriter) Write(text []byte) (int, error) {
	if w.status >= http.StatusBadRequest {
		w.errorBody.Write(text)
	}
	return w.ResponseWriter.Write(text)
}

// Unwrap lets the proxy flush.
func (w *watchedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

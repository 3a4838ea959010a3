// Inserting a digit, on Go's net/http.
package main

import (
	"encoding/json"
	"net/http"
	"os"
	"runtime"
	"sync"
)

type entry struct {
	sync.Mutex
	text     []byte
	revision int
}

type state struct {
	ID       string `json:"id"`
	Length   int    `json:"length"`
	Count    int    `json:"count"`
	Active   bool   `json:"active"`
	Complete bool   `json:"complete"`
	Revision int    `json:"revision"`
}

var (
	lock    sync.RWMutex
	entries = map[string]*entry{}
)

func find(id string) *entry {
	lock.RLock()
	found := entries[id]
	lock.RUnlock()
	if found != nil {
		return found
	}
	lock.Lock()
	defer lock.Unlock()
	if entries[id] == nil {
		entries[id] = &entry{}
	}
	return entries[id]
}

func insert(w http.ResponseWriter, r *http.Request) {
	path := r.URL.Path
	const prefix, suffix = "/v1/sessions/", "/insert"
	if r.Method != http.MethodPost || len(path) <= len(prefix)+len(suffix) || path[len(path)-len(suffix):] != suffix {
		http.NotFound(w, r)
		return
	}
	id := path[len(prefix) : len(path)-len(suffix)]
	var body struct {
		Text string `json:"text"`
	}
	err := json.NewDecoder(r.Body).Decode(&body)
	if err != nil || len(body.Text) != 1 || body.Text[0] < '0' || body.Text[0] > '9' {
		http.Error(w, `{"status":422}`, http.StatusUnprocessableEntity)
		return
	}
	session := find(id)
	session.Lock()
	if len(session.text) == 6 {
		session.text = session.text[:0]
	}
	session.text = append(session.text, body.Text[0])
	session.revision++
	answer := state{id, 6, len(session.text), true, len(session.text) == 6, session.revision}
	session.Unlock()
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	json.NewEncoder(w).Encode(answer)
}

func main() {
	runtime.GOMAXPROCS(2)
	http.HandleFunc("/v1/sessions/", insert)
	panic(http.ListenAndServe("127.0.0.1:"+os.Args[1], nil))
}

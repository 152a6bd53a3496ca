package web

// A RouteInfo is a row of the route table, for the test that walks it.
type RouteInfo struct {
	Pattern string
	Access  string
}

// Routes returns the table.
func Routes() []RouteInfo {
	names := map[access]string{public: "public", setup: "setup", signedIn: "signed in", admin: "admin"}
	var list []RouteInfo
	for _, rt := range (&Server{}).routes() {
		list = append(list, RouteInfo{rt.pattern, names[rt.access]})
	}
	return list
}

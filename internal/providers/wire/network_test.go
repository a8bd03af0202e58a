package wire_test

import (
	"net"
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"editor-actions/internal/config"
	"editor-actions/internal/providers"
	"editor-actions/internal/providers/wire"
)

func TestP15_Private(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		address string
		want    bool
	}{
		{"8.8.8.8", false},
		{"1.1.1.1", false},
		{"172.15.255.255", false},
		{"172.32.0.0", false},
		{"100.63.255.255", false},
		{"100.128.0.0", false},
		{"192.0.1.0", false},
		{"198.17.255.255", false},
		{"198.20.0.0", false},
		{"223.255.255.255", false},
		{"2606:4700::1111", false},
		{"2001:4860:4860::8888", false},
		{"2003::1", false},
		{"64:ff9a::1", false},
		{"::ffff:8.8.8.8", false},
		{"10.0.0.1", true},
		{"172.16.0.1", true},
		{"172.31.255.255", true},
		{"192.168.255.1", true},
		{"127.0.0.1", true},
		{"127.255.255.254", true},
		{"::1", true},
		{"169.254.169.254", true}, // what clouds tell their machines
		{"fe80::1", true},
		{"fe80::1%eth0", true},
		{"100.64.0.1", true},
		{"100.127.255.255", true},
		{"fd00::1", true},
		{"fc00::1", true},
		{"fd00::1%eth0", true},
		{"fec0::1", true}, // site-local, the ULA before there were ULAs
		{"64:ff9b::7f00:1", true},
		{"64:ff9b::808:808", true},
		{"64:ff9b::7f00:1%eth0", true},
		{"64:ff9b:1::1", true},
		{"2002:7f00:1::1", true},
		{"2002:7f00:1::1%lo", true},
		{"::127.0.0.1", true}, // IPv4-compatible
		{"::ffff:127.0.0.1", true},
		{"::ffff:10.0.0.1", true},
		{"::ffff:100.64.0.1", true},
		{"::ffff:127.0.0.1%lo", true},
		{"224.0.0.1", true},
		{"239.255.255.255", true},
		{"ff02::1", true},
		{"ff0e::1", true},
		{"0.0.0.0", true},
		{"0.1.2.3", true},
		{"::", true},
		{"255.255.255.255", true},
		{"240.0.0.1", true},
		{"192.0.0.8", true},
		{"198.18.0.1", true},
		{"198.19.255.255", true},
	} {
		if got := wire.Private(netip.MustParseAddr(c.address)); got != c.want {
			t.Errorf("%s: got %v", c.address, got)
		}
	}
	if !wire.Private(netip.Addr{}) {
		t.Error("no address at all is public")
	}
}

// A name that leads into the network is refused like the address, before a connection
// is made.
func TestP15_PrivateAddressesAreRefused(t *testing.T) {
	t.Parallel()
	for _, host := range []string{"127.0.0.1", "localhost", "0.0.0.0", "[::ffff:127.0.0.1]"} {
		server := record(t)
		u, err := url.Parse(server.URL)
		if err != nil {
			t.Fatal(err)
		}
		address := "http://" + net.JoinHostPort(strings.Trim(host, "[]"), u.Port()) + "/api"
		c := config.ProviderConfiguration{Proxy: config.ProxyDirect}
		_, err = ask(t, c, address)
		wantKind(t, host, err, providers.Configuration, "private network")
		c.PrivateNetwork = true
		if body, err := ask(t, c, address); err != nil || body != "recorded" {
			t.Errorf("%s with privateNetwork: %q, %v", host, body, err)
		}
		if got := server.requests(); len(got) != 1 {
			t.Errorf("%s: %v", host, got)
		}
	}
}

// Not even a connection is opened.
func TestP15_NoByteToAPrivateAddress(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, err = ask(t, config.ProviderConfiguration{}, "http://"+l.Addr().String())
	wantKind(t, "listener", err, providers.Configuration, "private network")
	// The first connection to arrive is ours.
	own, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer own.Close()
	first, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	if first.RemoteAddr().String() != own.LocalAddr().String() {
		t.Error("somebody has connected before")
	}
}

// 0.0.0.0 is this machine, and no address that the environment's proxy is never used for.
func TestNewClient_ProxyOfTheEnvironment(t *testing.T) {
	server := record(t)
	address := strings.Replace(server.URL, "127.0.0.1", "0.0.0.0", 1) + "/api"
	before := len(environment.requests())
	c := config.ProviderConfiguration{PrivateNetwork: true, Proxy: config.ProxyDirect}
	if body, err := ask(t, c, address); err != nil || body != "recorded" {
		t.Fatal(err)
	}
	if len(server.requests()) != 1 || len(environment.requests()) != before {
		t.Error("direct goes through the environment's proxy")
	}
	c.Proxy = ""
	if _, err := ask(t, c, address); err != nil {
		t.Fatal(err)
	}
	if got := environment.requests(); len(server.requests()) != 1 || len(got) != before+1 || got[before] != "POST "+address {
		t.Errorf("the environment's proxy was asked %v", got[before:])
	}
}

func TestNewClient_OwnProxy(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"http://model.invalid/v1/chat", "http://8.8.8.8/v1/chat"} {
		proxy := record(t)
		if body, err := ask(t, config.ProviderConfiguration{Proxy: proxy.URL}, address); err != nil || body != "recorded" {
			t.Fatalf("%s: %q, %v", address, body, err)
		}
		if got := proxy.requests(); len(got) != 1 || got[0] != "POST "+address {
			t.Errorf("the proxy was asked %v", got)
		}
	}
	for _, p := range []string{"nowhere", "http://", "%zz"} {
		if _, err := wire.NewClient(config.ProviderConfiguration{Proxy: p}); err == nil || strings.Contains(err.Error(), p) {
			t.Errorf("%s: %v", p, err)
		}
	}
}

// The proxy of an encrypted address makes a tunnel, and sees neither key nor picture.
func TestP15_ProxyOfAnEncryptedAddress(t *testing.T) {
	t.Parallel()
	server, s, file := tlsServer(t, nil)
	proxy := record(t)
	proxy.to = s.Listener.Addr().String()
	body, err := ask(t, config.ProviderConfiguration{Proxy: proxy.URL, CAFile: file}, "https://example.com/v1/chat")
	if err != nil || body != "recorded" {
		t.Fatalf("%q, %v", body, err)
	}
	if got := proxy.requests(); len(got) != 1 || got[0] != "CONNECT example.com:443" {
		t.Errorf("the proxy was asked %v", got)
	}
	if proxy.heads[0].Get("Authorization") != "" || len(server.requests()) != 1 || server.heads[0].Get("Authorization") != "Bearer "+key {
		t.Errorf("the key went elsewhere: %v", proxy.heads)
	}
}

func TestP15_PrivateAddressThroughAProxy(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"http://10.0.0.1/", "https://10.0.0.1/", "http://127.0.0.1:9/", "http://[fd00::1]/", "http://169.254.169.254/latest", "http://[::ffff:192.168.0.1]/", "http://[64:ff9b::7f00:1%25lo]/"} {
		proxy := record(t)
		_, err := ask(t, config.ProviderConfiguration{Proxy: proxy.URL}, address)
		wantKind(t, address, err, providers.Configuration, "private network")
		if got := proxy.requests(); len(got) != 0 {
			t.Errorf("%s: the proxy was asked %v", address, got)
		}
	}
	proxy := record(t)
	if _, err := ask(t, config.ProviderConfiguration{Proxy: proxy.URL, PrivateNetwork: true}, "http://10.0.0.1/"); err != nil || len(proxy.requests()) != 1 {
		t.Errorf("with privateNetwork: %v", err)
	}
}

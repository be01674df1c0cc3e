// What the containers of tests run, alone in their image: in-pod pause | serve | ask NETWORK ADDRESS | follow ADDRESS | api [ADDRESS].
package main

import (
	"bufio"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"
)

// Longer than a connection takes where packets are not thrown away.
const limit = 3 * time.Second

const account = "/var/run/secrets/kubernetes.io/serviceaccount/"

func main() {
	words := append(os.Args[1:], "", "", "")
	var err error
	switch words[0] {
	case "pause":
		untilTold()
	case "serve":
		err = serve()
	case "ask":
		err = ask(words[1], words[2])
	case "follow":
		err = follow(words[1])
	case "api":
		err = api(words[1])
	default:
		err = fmt.Errorf("unknown word %q", words[0])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func untilTold() {
	told := make(chan os.Signal, 1)
	signal.Notify(told, syscall.SIGTERM, syscall.SIGINT)
	<-told
}

// A line on TCP 8080 (HTTP) and UDP 8053: who answers, and whom it sees; on TCP 8081 every line comes back.
func serve() error {
	name, err := os.Hostname()
	if err != nil {
		return err
	}
	datagrams, err := net.ListenPacket("udp", ":8053")
	if err != nil {
		return err
	}
	go func() {
		buffer := make([]byte, 1500)
		for {
			_, from, err := datagrams.ReadFrom(buffer)
			if err == nil {
				_, _ = datagrams.WriteTo([]byte(answer(name, from.String())), from)
			}
		}
	}()
	lines, err := net.Listen("tcp", ":8081")
	if err != nil {
		return err
	}
	go func() {
		for {
			connection, err := lines.Accept()
			if err == nil {
				go func() { _, _ = io.Copy(connection, connection) }()
			}
		}
	}()
	http.HandleFunc("/", func(response http.ResponseWriter, request *http.Request) {
		fmt.Fprint(response, answer(name, request.RemoteAddr))
	})
	go func() {
		fmt.Fprintln(os.Stderr, http.ListenAndServe(":8080", nil))
		os.Exit(1)
	}()
	untilTold()
	return nil
}

func answer(name, from string) string {
	host, _, _ := net.SplitHostPort(from)
	return fmt.Sprintf("%s sees %s%s\n", name, host, os.Getenv("RELEASE"))
}

// Prints the answer of a server of its own kind.
func ask(network, address string) error {
	if network == "tcp" {
		client := http.Client{Timeout: limit}
		response, err := client.Get("http://" + address + "/")
		if err != nil {
			return err
		}
		defer response.Body.Close()
		_, err = io.Copy(os.Stdout, response.Body)
		return err
	}
	connection, err := net.Dial(network, address)
	if err != nil {
		return err
	}
	buffer := make([]byte, 1500)
	_ = connection.SetDeadline(time.Now().Add(limit))
	if _, err = connection.Write([]byte("?")); err != nil {
		return err
	}
	count, err := connection.Read(buffer)
	fmt.Print(string(buffer[:count]))
	return err
}

// Sends each line of standard input over one connection, and prints what comes back.
func follow(address string) error {
	connection, err := net.Dial("tcp", address)
	if err != nil {
		return err
	}
	answers := bufio.NewReader(connection)
	said := bufio.NewScanner(os.Stdin)
	for said.Scan() {
		if _, err = fmt.Fprintln(connection, said.Text()); err != nil {
			return err
		}
		line, err := answers.ReadString('\n')
		if err != nil {
			return err
		}
		fmt.Print(line)
	}
	return nil
}

// Asks the API server for its version with the pod's own account, at the address given, or where the pod's environment says.
func api(address string) error {
	if address == "" {
		address = net.JoinHostPort(os.Getenv("KUBERNETES_SERVICE_HOST"), os.Getenv("KUBERNETES_SERVICE_PORT"))
	}
	token, err := os.ReadFile(account + "token")
	if err != nil {
		return err
	}
	authority, err := os.ReadFile(account + "ca.crt")
	if err != nil {
		return err
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(authority)
	client := http.Client{
		Timeout:   limit,
		Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}},
	}
	request, err := http.NewRequest("GET", "https://"+address+"/version", nil)
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", "Bearer "+strings.TrimSpace(string(token)))
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("the API server answered %s", response.Status)
	}
	_, err = io.Copy(os.Stdout, response.Body)
	return err
}

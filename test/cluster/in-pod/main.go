// Program of the tests' containers, the only file in their image: in-pod pause | serve | ask NETWORK ADDRESS |
// poll ADDRESS | follow ADDRESS | ping ADDRESS | api [ADDRESS].
package main

import (
	"bufio"
	"crypto/tls"
	"crypto/x509"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
)

// Limit for an answer, longer than a connection takes if no packets are dropped.
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
	case "poll":
		poll(words[1])
	case "follow":
		err = follow(words[1])
	case "ping":
		err = ping(words[1])
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

// Answers on TCP 8080 (HTTP) and UDP 8053 with its own name and the client's address, and returns every line on TCP 8081.
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

// Prints the answer of `in-pod serve`.
func ask(network, address string) error {
	if network == "tcp" {
		text, err := get(address)
		fmt.Print(text)
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

func get(address string) (string, error) {
	// Each request has a separate connection, because another pod may answer it.
	client := http.Client{Timeout: limit, Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Get("http://" + address + "/")
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	return string(text), err
}

// Sends requests until standard input ends; prints each failure, and at the end the numbers of requests and failures.
func poll(address string) {
	ended := untilTheEnd()
	asked, failed := 0, 0
	for {
		select {
		case <-ended:
			fmt.Printf("%d asked, %d failed\n", asked, failed)
			return
		default:
			asked++
			if _, err := get(address); err != nil {
				failed++
				fmt.Println(err)
			} else if asked == 1 {
				fmt.Println("answered")
			}
			time.Sleep(10 * time.Millisecond)
		}
	}
}

// Returns a channel that is closed when standard input ends.
func untilTheEnd() <-chan struct{} {
	ended := make(chan struct{})
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		close(ended)
	}()
	return ended
}

// Sends each line of standard input over one connection, and prints the answers.
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

// Sends an ICMP echo request every 10 ms until standard input ends; prints the number of requests, the number of requests
// without a reply, and the times of the latter. Requests before the first one with a reply do not count, because a policy
// that is being deleted may still drop them.
func ping(address string) error {
	to, err := net.ResolveIPAddr("ip4", address)
	if err != nil {
		return err
	}
	socket, err := net.ListenPacket("ip4:icmp", "0.0.0.0")
	if err != nil {
		return err
	}
	// The sequence number of an echo request has 16 bits, which suffices for more than ten minutes.
	var came [1 << 16]atomic.Bool
	id := uint16(os.Getpid())
	go func() {
		buffer := make([]byte, 1500)
		isFirst := true
		for {
			count, from, err := socket.ReadFrom(buffer)
			if err != nil {
				return
			}
			if count >= 8 && buffer[0] == 0 && binary.BigEndian.Uint16(buffer[4:]) == id && from.String() == to.String() {
				came[binary.BigEndian.Uint16(buffer[6:])].Store(true)
				if isFirst {
					fmt.Println("answered")
				}
				isFirst = false
			}
		}
	}()
	ended := untilTheEnd()
	ticks := time.NewTicker(10 * time.Millisecond)
	begin := time.Now()
	var asked []time.Duration
	for {
		select {
		case <-ticks.C:
			echo := []byte{8, 0, 0, 0, 0, 0, 0, 0}
			binary.BigEndian.PutUint16(echo[4:], id)
			binary.BigEndian.PutUint16(echo[6:], uint16(len(asked)))
			binary.BigEndian.PutUint16(echo[2:], checksum(echo))
			asked = append(asked, time.Since(begin))
			if _, err = socket.WriteTo(echo, to); err != nil {
				return err
			}
		case <-ended:
			time.Sleep(limit)
			var lost []string
			first := 0
			for first < len(asked) && !came[uint16(first)].Load() {
				first++
			}
			for number, at := range asked[first:] {
				number += first
				if !came[uint16(number)].Load() {
					lost = append(lost, fmt.Sprintf("%d at %d ms", number, at.Milliseconds()))
				}
			}
			fmt.Printf("%d asked, %d lost", len(asked)-first, len(lost))
			if len(lost) > 0 {
				fmt.Printf(": %s", strings.Join(lost, ", "))
			}
			fmt.Println()
			return nil
		}
	}
}

// Returns the Internet checksum (RFC 1071).
func checksum(bytes []byte) uint16 {
	sum := uint32(0)
	for at := 0; at < len(bytes); at += 2 {
		sum += uint32(binary.BigEndian.Uint16(bytes[at:]))
	}
	for sum > 0xffff {
		sum = sum>>16 + sum&0xffff
	}
	return ^uint16(sum)
}

// Prints the version of the API server at an address, by default at the address in the pod's environment, with the pod's account.
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

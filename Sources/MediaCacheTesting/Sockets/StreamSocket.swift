import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A TCP socket with blocking calls, for dedicated threads.
struct StreamSocket: Sendable, Hashable {
    struct Failure: Error, CustomStringConvertible {
        var call: String
        var number: Int32
        var description: String { "\(call): \(String(cString: strerror(number)))" }
    }

    let descriptor: Int32

    /// Returns a socket that listens on a free port of the loopback address, and the port.
    static func listen(onIPv6: Bool) throws -> (StreamSocket, port: Int) {
        #if canImport(Glibc)
            let kind = Int32(SOCK_STREAM.rawValue)
        #else
            let kind = SOCK_STREAM
        #endif
        let descriptor = socket(onIPv6 ? AF_INET6 : AF_INET, kind, 0)
        guard descriptor >= 0 else { throw Failure(call: "socket", number: errno) }
        let listener = StreamSocket(descriptor: descriptor)
        do {
            return (listener, try listener.bindToLoopback(onIPv6: onIPv6))
        } catch {
            listener.close()
            throw error
        }
    }

    /// Returns the next connection; nil after a shutdown or a failure.
    func accept() -> StreamSocket? {
        while true {
            let connection = acceptConnection(descriptor)
            if connection < 0, errno == EINTR || errno == ECONNABORTED { continue }
            guard connection >= 0 else { return nil }
            var on: Int32 = 1
            setsockopt(connection, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
            #if canImport(Darwin)
                setsockopt(connection, SOL_SOCKET, SO_NOSIGPIPE, &on, socklen_t(MemoryLayout<Int32>.size))
            #endif
            return StreamSocket(descriptor: connection)
        }
    }

    /// Waits for bytes, and returns some; nil at the end or on failure.
    func receive() -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 16 << 10)
        while true {
            let count = recv(descriptor, &bytes, bytes.count, 0)
            if count < 0, errno == EINTR { continue }
            return count > 0 ? Array(bytes[..<count]) : nil
        }
    }

    /// Sends all of `bytes`. Returns false if the connection is closed.
    func send(_ bytes: [UInt8]) -> Bool {
        #if canImport(Darwin)
            let flags: Int32 = 0
        #else
            let flags = Int32(MSG_NOSIGNAL)
        #endif
        return bytes.withUnsafeBytes { bytes in
            var sent = 0
            while sent < bytes.count, let base = bytes.baseAddress {
                let count = sendBytes(descriptor, base + sent, bytes.count - sent, flags)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return false }
                sent += count
            }
            return true
        }
    }

    /// Waits until `gate` opens. Returns false if the other side closes the connection first.
    func wait(at gate: ScriptedGate) -> Bool {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { return false }
        let (readEnd, writeEnd) = (StreamSocket(descriptor: ends[0]), StreamSocket(descriptor: ends[1]))
        let signal = GateSignal(writeEnd)
        let id = gate.onOpen { signal.send() }
        defer {
            gate.removeCallback(id)
            signal.send()
            readEnd.close()
        }
        while true {
            var waited = [
                pollfd(fd: readEnd.descriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
            ]
            guard poll(&waited, 2, -1) > 0 else {
                if errno == EINTR { continue }
                return false
            }
            // No data is expected from the other side, so the socket is readable only at its end.
            return waited[0].revents != 0
        }
    }

    /// Ends all blocking calls on the socket.
    func shutDown() { shutdown(descriptor, Int32(SHUT_RDWR)) }

    func close() { closeDescriptor(descriptor) }

    /// Configures the socket so that ``close()`` sends a reset.
    func resetOnClose() {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    }

    private func bindToLoopback(onIPv6: Bool) throws -> Int {
        var storage = sockaddr_storage()
        var length = socklen_t(onIPv6 ? MemoryLayout<sockaddr_in6>.size : MemoryLayout<sockaddr_in>.size)
        return try withUnsafeMutableBytes(of: &storage) { raw in
            if onIPv6 {
                var address = sockaddr_in6()
                address.sin6_family = sa_family_t(AF_INET6)
                address.sin6_addr = in6addr_loopback
                raw.storeBytes(of: address, as: sockaddr_in6.self)
            } else {
                var address = sockaddr_in()
                address.sin_family = sa_family_t(AF_INET)
                address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
                raw.storeBytes(of: address, as: sockaddr_in.self)
            }
            guard let pointer = raw.assumingMemoryBound(to: sockaddr.self).baseAddress else { return 0 }
            guard bind(descriptor, pointer, length) == 0 else { throw Failure(call: "bind", number: errno) }
            guard startListening(descriptor) == 0 else { throw Failure(call: "listen", number: errno) }
            guard getsockname(descriptor, pointer, &length) == 0 else {
                throw Failure(call: "getsockname", number: errno)
            }
            // The port is at the same position in both address structures.
            return Int(UInt16(bigEndian: raw.load(fromByteOffset: 2, as: UInt16.self)))
        }
    }
}

// The system calls with the same names as methods of `StreamSocket`.

private func acceptConnection(_ descriptor: Int32) -> Int32 { accept(descriptor, nil, nil) }

private func sendBytes(_ descriptor: Int32, _ bytes: UnsafeRawPointer, _ count: Int, _ flags: Int32) -> Int {
    send(descriptor, bytes, count, flags)
}

private func closeDescriptor(_ descriptor: Int32) { _ = close(descriptor) }

private func startListening(_ descriptor: Int32) -> Int32 { listen(descriptor, 256) }

/// The writing end of a pipe, which wakes the thread that waits at a gate.
private final class GateSignal: Sendable {
    private let end: Mutex<StreamSocket?>

    init(_ end: StreamSocket) { self.end = Mutex(end) }

    /// Wakes the reader by closing the pipe, unless it's already closed.
    func send() {
        let last = end.withLock { end in
            defer { end = nil }
            return end
        }
        last?.close()
    }
}

import Foundation

/// Bytes that a client received within a time.
struct Transfer {
    var bytes: Double
    var seconds: Double

    /// The rate in MB/s.
    var rate: Double { bytes / 1e6 / seconds }
}

/// A process and its descendants, as `/proc` shows them. Only children of the main thread of a process are found.
struct ProcessTree {
    let root: pid_t

    init(_ process: ChildProcess) { root = process.processID }

    /// The identifiers of the processes.
    var members: [pid_t] {
        var members = [root]
        var next = 0
        while next < members.count {
            let path = "/proc/\(members[next])/task/\(members[next])/children"
            members += Self.text(path).split(separator: " ").compactMap { pid_t($0) }
            next += 1
        }
        return members
    }

    /// The resident memory of all processes in bytes. Pages that they share are counted for each of them.
    var residentBytes: Int { total("VmRSS:") }

    /// The sum of the processes' peaks of resident memory in bytes.
    var peakResidentBytes: Int { total("VmHWM:") }

    /// The CPU time of all processes since their start, in seconds; 0 on systems without `/proc`.
    var cpuSeconds: Double {
        let ticks = members.reduce(0.0) { total, id in
            // The name, in parentheses, may contain spaces. User and system time are fields 14 and 15.
            let fields = Self.text("/proc/\(id)/stat").split(separator: ")").last?.split(separator: " ") ?? []
            return total + fields.dropFirst(11).prefix(2).compactMap { Double($0) }.reduce(0, +)
        }
        return ticks / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    /// Measures the rate of a load on these processes in MB/s, and their CPU time per GiB in seconds.
    ///
    /// - Parameter load: Returns the number of bytes and the duration in seconds.
    func rateAndCPU(_ load: () async throws -> Transfer) async throws -> [Double] {
        let before = cpuSeconds
        let transfer = try await load()
        return [transfer.rate, (cpuSeconds - before) * 0x1p30 / transfer.bytes]
    }

    /// The number of open file descriptors of all processes.
    var descriptors: Int {
        members.reduce(0) { count, id in
            count + ((try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(id)/fd").count) ?? 0)
        }
    }

    private func total(_ field: String) -> Int {
        members.reduce(0) { total, id in
            let line = Self.text("/proc/\(id)/status").split(separator: "\n").first { $0.hasPrefix(field) }
            let kibibytes = line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) }
            return total + (kibibytes ?? 0) << 10
        }
    }

    private static func text(_ path: String) -> String { (try? String(contentsOfFile: path, encoding: .utf8)) ?? "" }
}

extension ChildProcess {
    /// Runs a program to its end. First flushes the writes of earlier rounds, so that they don't slow the program down.
    ///
    /// - Throws: `HarnessError` with the program's error output if it fails.
    @discardableResult
    static func run(_ program: String, _ arguments: [String]) async throws -> ChildProcess {
        sync()
        let child = try ChildProcess(program, arguments)
        let ending = try await child.end(within: .seconds(300))
        guard ending == .exit(0) else {
            throw HarnessError("\(program): \(ending): \(child.errorText.suffix(2000))")
        }
        return child
    }

    /// The running time in seconds; NaN while the process runs.
    var seconds: Double { (elapsed?.milliseconds ?? .nan) / 1000 }

    /// The CPU time of the ended process and of the descendants that it waited for, in seconds; NaN while it runs.
    var cpuSeconds: Double { (cpuTime?.milliseconds ?? .nan) / 1000 }

    /// Returns the rate in MB/s at which an ended process handled a number of bytes, over its whole running time, and
    /// its CPU time per GiB in seconds.
    func rateAndCPU(bytes: Int) -> [Double] {
        [Transfer(bytes: Double(bytes), seconds: seconds).rate, cpuSeconds * 0x1p30 / Double(bytes)]
    }
}

extension RunningServer {
    var tree: ProcessTree { ProcessTree(process) }
}

extension NginxPeer {
    var tree: ProcessTree { ProcessTree(process) }
}

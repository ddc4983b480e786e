import Foundation
import MediaLibrary

/// The resource use of the process, under the names that Prometheus clients use. Memory and open files are read from
/// Linux's `/proc` and omitted on other systems.
struct ProcessMetrics {
    let started: Date

    func write(to text: inout MetricsText) {
        var usage = rusage()
        #if canImport(Glibc)
            let own = __rusage_who_t(RUSAGE_SELF.rawValue)
        #else
            let own = RUSAGE_SELF
        #endif
        if getrusage(own, &usage) == 0 {
            let seconds = Self.seconds(usage.ru_utime) + Self.seconds(usage.ru_stime)
            text.process("cpu_seconds_total", "User and system CPU time in seconds.", type: "counter", seconds)
        }
        if let bytes = Self.residentBytes {
            text.process("resident_memory_bytes", "Resident memory in bytes.", type: "gauge", Double(bytes))
        }
        if let count = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count {
            text.process("open_fds", "Open file descriptors.", type: "gauge", Double(count))
        }
        text.process("max_fds", "The limit of open file descriptors.", type: "gauge", Double(OpenFileLimit.current))
        text.process(
            "start_time_seconds", "The start time of the server, in seconds since 1970.", type: "gauge",
            started.timeIntervalSince1970)
    }

    private static func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }

    private static var residentBytes: Int? {
        // proc(5): the second field, in pages.
        guard let text = SystemFile.text("/proc/self/statm") else { return nil }
        let fields = text.split(separator: " ")
        return fields.count > 1 ? Int(fields[1]).map { $0 * Int(sysconf(Int32(_SC_PAGESIZE))) } : nil
    }
}

import HTTPTypes
import MediaCache
import MediaLibrary
import Synchronization

/// `GET /metrics`: metrics for Prometheus. It requires no key. Labels have few values, and none contains a URL.
final class MetricsRoute: Route {
    let paths = ["/metrics"]
    let access = RouteAccess.open

    private let store: CacheStore
    private let metrics: ServerMetrics
    private let registry: ConnectionRegistry
    private let downloads: Downloads?
    private let recordings: Recordings?
    private let process: ProcessMetrics
    private let time: any TimeSource
    /// The most recent usage. It is cached because it requires catalog queries, and there may be several scrapers.
    private let usage = Mutex<(at: Duration, usage: Usage)?>(nil)
    private static let usageLifetime = Duration.seconds(5)

    init(
        store: CacheStore, metrics: ServerMetrics, registry: ConnectionRegistry, downloads: Downloads? = nil,
        recordings: Recordings? = nil, time: any TimeSource = SystemTime()
    ) {
        self.store = store
        self.downloads = downloads
        self.recordings = recordings
        process = ProcessMetrics(started: time.now)
        self.metrics = metrics
        self.registry = registry
        self.time = time
    }

    func bodyLimit(of method: HTTPRequest.Method, at path: String, within limits: ServerLimits) -> Int { 0 }

    func respond(to request: RouteRequest) async throws -> RouteResponse {
        try request.requireRead()
        var text = MetricsText()
        text.add(
            "build_info", "The version of MediaCache; always 1.", type: "gauge",
            samples: [("version=\"\(CacheServer.version)\"", 1)])
        Self.write(metrics.snapshot, connections: registry.count, to: &text)
        text.gauge("http_connections_limit", "The limit of open client connections.", Int64(registry.maximum))
        Self.write(store.statistics, to: &text)
        if let throughput = store.throughput {
            text.gauge(
                "origin_bytes_per_second", "The recent throughput from origins.", Int64(throughput.bytesPerSecond))
        }
        Self.write(try await currentUsage(), to: &text)
        text.gauge(
            "storing", "1 while data is cached, 0 while playback continues without caching.",
            Int64(store.acceptsBytes ? 1 : 0))
        text.gauge(
            "limit_min_free_bytes", "Bytes to leave free on the cache's file system.", store.limits.minimumFreeBytes)
        await LibraryMetrics(downloads, recordings).write(to: &text)
        process.write(to: &text)
        return RouteResponse(contentType: MetricsText.contentType, text: text.text)
    }

    private func currentUsage() async throws -> Usage {
        let now = time.monotonic
        if let cached = usage.withLock({ $0 }), now - cached.at < Self.usageLifetime { return cached.usage }
        let fresh = try await store.usage()
        usage.withLock { $0 = (now, fresh) }
        return fresh
    }

    static func write(_ snapshot: ServerMetrics.Snapshot, connections: Int, to text: inout MetricsText) {
        let responses = RouteKind.allCases.flatMap { kind in
            (0...5).map { statusClass in
                let code = statusClass == 0 ? "none" : "\(statusClass)xx"
                let count = snapshot.responses(kind, statusClass: statusClass)
                return (labels: "route=\"\(kind.label)\",code=\"\(code)\"", value: Double(count))
            }
        }
        let help = "Responses by route and status class; none means that the connection closed before the response."
        text.add("http_responses_total", help, type: "counter", samples: responses)
        let bytes = RouteKind.allCases.map { (labels: "route=\"\($0.label)\"", value: Double(snapshot.bytes($0))) }
        text.add("http_body_bytes_total", "Body bytes written to clients.", type: "counter", samples: bytes)
        text.gauge("http_connections", "Open client connections.", Int64(connections))
    }

    static func write(_ statistics: Statistics, to text: inout MetricsText) {
        text.counter("reads_total", "Read sessions opened.", statistics.reads)
        text.counter("read_hits_total", "Read sessions whose bytes were all cached.", statistics.hits)
        text.gauge("reads_open", "Read sessions open now.", Int64(statistics.openReads))
        text.counter("origin_requests_total", "Requests made to origins.", statistics.originRequests)
        text.counter("origin_failures_total", "Requests to origins that failed.", statistics.originFailures)
        text.gauge("fills_running", "Fills running now.", Int64(statistics.runningFills))
        text.counter("origin_bytes_total", "Body bytes received from origins.", statistics.bytesFromOrigin)
        text.counter("read_bytes_total", "Bytes read by readers.", statistics.bytesRead)
        text.counter(
            "read_cached_bytes_total", "Bytes read by readers that were cached when requested.",
            statistics.bytesFromCache)
        text.counter("evicted_bytes_total", "Evicted bytes.", statistics.bytesEvicted)
        text.counter("committed_bytes_total", "Bytes committed to the catalog.", statistics.bytesCommitted)
        text.counter(
            "damaged_bytes_total", "Cached bytes that couldn't be read or didn't match their checksums.",
            statistics.bytesDamaged)
    }

    static func write(_ usage: Usage, to text: inout MetricsText) {
        text.gauge("resources", "Cached resources.", Int64(usage.resources))
        text.gauge("resources_complete", "Complete resources.", Int64(usage.complete))
        text.gauge("cached_bytes", "Cached bytes.", usage.bytes)
        text.gauge("pinned_bytes", "Pinned bytes.", usage.pinnedBytes)
        text.gauge("free_disk_bytes", "Free bytes on the cache's file system.", usage.freeDiskBytes)
        if let maximum = usage.maximumBytes { text.gauge("limit_bytes", "The limit of cached bytes.", maximum) }
    }
}

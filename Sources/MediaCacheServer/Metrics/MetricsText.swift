/// Metrics in Prometheus' text format, version 0.0.4.
struct MetricsText {
    /// The media type of the format.
    static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    private(set) var text = ""

    /// Writes a metric with its help and type, and one sample for each set of labels.
    mutating func add(_ name: String, _ help: String, type: String, samples: [(labels: String, value: Int64)]) {
        text += "# HELP mediacache_\(name) \(help)\n# TYPE mediacache_\(name) \(type)\n"
        for sample in samples {
            text += "mediacache_\(name)\(sample.labels.isEmpty ? "" : "{\(sample.labels)}") \(sample.value)\n"
        }
    }

    /// Writes a count that only grows.
    mutating func counter(_ name: String, _ help: String, _ value: Int64) {
        add(name, help, type: "counter", samples: [("", value)])
    }

    /// Writes a value that goes up and down.
    mutating func gauge(_ name: String, _ help: String, _ value: Int64) {
        add(name, help, type: "gauge", samples: [("", value)])
    }
}

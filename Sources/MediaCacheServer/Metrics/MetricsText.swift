/// Metrics in Prometheus' text format, version 0.0.4.
struct MetricsText {
    static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    private(set) var text = ""

    /// Writes a metric with its help and type, and one sample for each set of labels.
    mutating func add(_ name: String, _ help: String, type: String, samples: [(labels: String, value: Double)]) {
        write("mediacache_\(name)", help, type: type, samples: samples)
    }

    mutating func counter(_ name: String, _ help: String, _ value: Int64) {
        add(name, help, type: "counter", samples: [("", Double(value))])
    }

    mutating func gauge(_ name: String, _ help: String, _ value: Double) {
        add(name, help, type: "gauge", samples: [("", value)])
    }

    mutating func gauge(_ name: String, _ help: String, _ value: Int64) { gauge(name, help, Double(value)) }

    /// Writes a metric of the process, under the name that Prometheus clients use.
    mutating func process(_ name: String, _ help: String, type: String, _ value: Double) {
        write("process_\(name)", help, type: type, samples: [("", value)])
    }

    private mutating func write(
        _ name: String, _ help: String, type: String, samples: [(labels: String, value: Double)]
    ) {
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(type)\n"
        for sample in samples {
            // Integers are exact up to 2^53, and are written without a fraction.
            let value = Int64(exactly: sample.value).map(String.init) ?? "\(sample.value)"
            text += "\(name)\(sample.labels.isEmpty ? "" : "{\(sample.labels)}") \(value)\n"
        }
    }
}

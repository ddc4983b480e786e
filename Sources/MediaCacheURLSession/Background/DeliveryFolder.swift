import Foundation
import HTTPTypes
import MediaCache

/// A folder for received files that aren't in the store yet. Each delivery consists of a file with the body and a JSON
/// record. Deliveries persist if the system terminates the app before the store has cached them.
struct DeliveryFolder: Sendable {
    /// The request and the response head of a body.
    struct Record: Sendable, Hashable, Codable {
        var request: BackgroundRequest
        var status: Int
        /// The header fields: alternating names and values.
        var fields: [String]
        /// The final URL after redirects; nil without redirects.
        var location: String?
        /// The time at which the body was received.
        var received: Date

        private enum CodingKeys: String, CodingKey {
            // The key used by existing records.
            case request = "wish"
            case status, fields, location, received
        }

        init(request: BackgroundRequest, status: Int, headerFields: HTTPFields, location: String?, received: Date) {
            self.request = request
            self.status = status
            fields = headerFields.flatMap { [$0.name.rawName, $0.value] }
            self.location = location
            self.received = received
        }
    }

    private static let bodyExtension = "body"
    private static let recordExtension = "json"

    private let folder: URL

    /// Returns the path of the default folder of a session.
    static func path(of identifier: String) -> String {
        let caches = FileManager.default.urls(for: .cachesDirectory, in: .userDomainMask).first
        return (caches ?? FileManager.default.temporaryDirectory)
            .appending(path: "MediaCacheURLSession/\(identifier)").path
    }

    /// Opens the folder, creating it if necessary, and removes bodies without a record, which a terminated app may have
    /// left. Call this before the session can deliver files.
    ///
    /// - Throws: `CacheError` with `storage`.
    init(_ path: String) throws {
        folder = URL(filePath: path, directoryHint: .isDirectory)
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let known = Set(try names())
            for file in try files(Self.bodyExtension) {
                let name = file.deletingPathExtension().lastPathComponent
                if !known.contains(name) { try FileManager.default.removeItem(at: file) }
            }
        } catch {
            throw CacheError(.storage, "the folder \(path) for received files can't be opened", cause: error)
        }
    }

    /// Moves a body into the folder, and writes its record.
    ///
    /// - Throws: `CacheError` with `storage`.
    func add(_ file: URL, _ record: Record) throws {
        let name = UUID().uuidString
        do {
            try FileManager.default.moveItem(at: file, to: url(name, Self.bodyExtension))
            try JSONEncoder().encode(record).write(to: url(name, Self.recordExtension), options: .atomic)
        } catch {
            throw CacheError(
                .storage, "the file received from \(record.request.url) can't be moved to \(folder.path)", cause: error)
        }
    }

    /// Returns the names of the deliveries, sorted.
    func names() throws -> [String] {
        try files(Self.recordExtension).map { $0.deletingPathExtension().lastPathComponent }.sorted()
    }

    /// Returns the record of a delivery.
    ///
    /// - Throws: `CacheError` with `storage` if the record can't be read, which may be temporary, for example while the
    ///   device is locked; with `damaged` if it can't be decoded.
    func record(_ name: String) throws -> Record {
        let file = url(name, Self.recordExtension)
        let data: Data
        do {
            data = try Data(contentsOf: file)
        } catch {
            throw CacheError(.storage, "the record \(file.path) of a received file can't be read", cause: error)
        }
        do {
            return try JSONDecoder().decode(Record.self, from: data)
        } catch {
            throw CacheError(.damaged, "the record \(file.path) of a received file is damaged", cause: error)
        }
    }

    /// Returns the path of a delivery's body.
    ///
    /// - Throws: `CacheError` with `damaged` if the body is missing.
    func body(_ name: String) throws -> String {
        let path = url(name, Self.bodyExtension).path
        guard FileManager.default.fileExists(atPath: path) else {
            throw CacheError(.damaged, "the received file \(path) is missing; fetch the resource again")
        }
        return path
    }

    /// Removes a delivery. The record is removed first, because the next opening removes bodies without a record.
    func remove(_ name: String) {
        try? FileManager.default.removeItem(at: url(name, Self.recordExtension))
        try? FileManager.default.removeItem(at: url(name, Self.bodyExtension))
    }

    private func url(_ name: String, _ ending: String) -> URL { folder.appending(path: "\(name).\(ending)") }

    private func files(_ ending: String) throws -> [URL] {
        try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == ending }
    }
}

extension DeliveryFolder.Record {
    /// Returns the response to add to the store, with the body at `path`.
    ///
    /// - Throws: `CacheError` with `invalidURL`.
    func response(_ path: String) throws -> DeliveredResponse {
        var named = HTTPFields()
        for index in stride(from: 0, to: fields.count - 1, by: 2) {
            guard let name = HTTPField.Name(fields[index]) else { continue }
            named.append(HTTPField(name: name, value: fields[index + 1]))
        }
        return DeliveredResponse(
            url: try ResourceURL(request.url), requested: request.range, status: status, headerFields: named,
            location: try location.map { try ResourceURL($0) }, file: path, received: received)
    }
}

public import MediaCache

/// Contract tests for any `Origin`. A ``ScriptedOrigin`` acts as the server.
///
/// ```swift
/// @Test(arguments: OriginContract.Rule.allCases)
/// func fulfillsContract(_ rule: OriginContract.Rule) async throws {
///     let server = try ScriptedOriginServer()
///     let contract = OriginContract(MyOrigin(), script: server.origin) { try server.url($0) }
///     try await contract.check(rule)
/// }
/// ```
public struct OriginContract: Sendable {
    /// A rule of the contract.
    public enum Rule: String, Sendable, CaseIterable {
        /// Status, header fields and body are returned unchanged.
        case returnsHeadAndBody
        /// The target and the header fields are sent unchanged; see ``Allowance/encodesTargets``. Only Connection,
        /// User-Agent, Accept and Accept-Language may be added.
        case sendsUnchangedRequest
        /// Methods other than GET are sent, with their content and its length.
        case sendsContent
        /// Range requests return the range, even beyond 4 GiB.
        case readsRanges
        /// Redirects are returned rather than followed.
        case returnsRedirects
        /// A content coding isn't removed; see ``Allowance/decodesContent``.
        case preservesContentCoding
        /// An error status is a response, not an error.
        case returnsErrorStatuses
        /// An empty body ends immediately.
        case readsEmptyBodies
        /// Reading beyond the end returns the end again.
        case repeatsEnd
        /// A body that ends before its announced length is reported as `badResponse`.
        case reportsTruncation
        /// A chunked body without its last chunk is reported as `badResponse`.
        case reportsTruncatedChunks
        /// A body of unknown length ends with the connection.
        case readsUntilConnectionEnd
        /// A connection that is reset during the body is reported as `unreachable`.
        case reportsResets
        /// A connection that is closed without a response is reported as `unreachable`.
        case reportsMissingResponses
        /// A missing response head is reported as `timedOut`.
        case limitsFirstByteTime
        /// A stalled body is reported as `timedOut`.
        case limitsStalls
        /// The time between reads doesn't count as a stall.
        case permitsReaderPauses
        /// A pause of the reader pauses the transfer.
        case limitsBuffering
        /// Cancelling a body closes the exchange. Further reads throw `cancelled`, even if all bytes were received.
        case closesCancelledBody
        /// Releasing a response closes the exchange.
        case closesReleasedBody
        /// Cancelling the task before the response head closes the exchange and throws `cancelled`.
        case closesCancelledSend
        /// Cancelling the task during the body closes the exchange and throws `cancelled`.
        case closesCancelledRead
        /// With `AddressScope.publicOnly`, requests to local addresses fail with `forbiddenAddress` without being sent.
        case refusesLocalAddresses
        /// The kind of address that responded is reported.
        case reportsPeer
        /// Exchanges run concurrently.
        case runsConcurrentExchanges
    }

    /// A permitted deviation of a transport that can't be configured otherwise.
    public enum Allowance: Sendable, CaseIterable {
        /// Invalid characters in targets are percent-encoded. Targets that would change otherwise are rejected as
        /// `invalidURL`.
        case encodesTargets
        /// Complete bodies are decoded, and their `Content-Encoding` and length are removed. Partial coded bodies are
        /// reported as `badResponse`.
        case decodesContent
    }

    /// The violation of a rule.
    public struct Violation: Error, CustomStringConvertible {
        /// The rule.
        public var rule: Rule
        /// The description of the violation.
        public var detail: String

        /// Both properties in one line.
        public var description: String { "\(rule.rawValue): \(detail)" }
    }

    let origin: any Origin
    let script: ScriptedOrigin
    let makeURL: @Sendable (String) throws -> ResourceURL
    let limit: Duration
    let maximumBuffered: Int64
    let allowances: Set<Allowance>
    let time: any TimeSource

    /// Creates tests for an origin.
    ///
    /// - Parameters:
    ///   - script: The scripted origin that receives the requests. Use a new one for each rule.
    ///   - limit: The time limit in rules that test timeouts. Other waits have a multiple of it.
    ///   - maximumBuffered: The maximum number of bytes received ahead of the reader, including socket buffers.
    ///   - allowances: The permitted deviations.
    ///   - time: The clock that measures the other waits.
    ///   - makeURL: Returns the URL of a path at the scripted origin. Paths start with `/`.
    public init(
        _ origin: any Origin, script: ScriptedOrigin, limit: Duration = .seconds(1),
        maximumBuffered: Int64 = 16 << 20, allowing allowances: Set<Allowance> = [],
        time: any TimeSource = SystemTime(), makeURL: @escaping @Sendable (String) throws -> ResourceURL
    ) {
        (self.origin, self.script, self.makeURL) = (origin, script, makeURL)
        (self.limit, self.maximumBuffered, self.time) = (limit, maximumBuffered, time)
        self.allowances = allowances
    }

    /// Tests a rule. Throws ``Violation``, or an unexpected error of the origin.
    public func check(_ rule: Rule) async throws {
        let check = OriginCheck(contract: self, rule: rule)
        switch rule {
        case .returnsHeadAndBody: try await check.headAndBody()
        case .sendsUnchangedRequest: try await check.request()
        case .sendsContent: try await check.content()
        case .readsRanges: try await check.ranges()
        case .returnsRedirects: try await check.redirect()
        case .preservesContentCoding: try await check.coding()
        case .returnsErrorStatuses: try await check.errorStatus()
        case .readsEmptyBodies: try await check.emptyBodies()
        case .repeatsEnd: try await check.end()
        case .reportsTruncation: try await check.truncation(.bodyShorter(by: 1000))
        case .reportsTruncatedChunks: try await check.truncation(.noContentLength, .bodyShorter(by: 1000))
        case .readsUntilConnectionEnd: try await check.closeDelimited()
        case .reportsResets: try await check.reset()
        case .reportsMissingResponses: try await check.missingResponse()
        case .limitsFirstByteTime: try await check.firstByte()
        case .limitsStalls: try await check.stall()
        case .permitsReaderPauses: try await check.pause()
        case .limitsBuffering: try await check.backPressure()
        case .closesCancelledBody: try await check.cancelledBody()
        case .closesReleasedBody: try await check.releasedBody()
        case .closesCancelledSend: try await check.cancelledSend()
        case .closesCancelledRead: try await check.cancelledRead()
        case .refusesLocalAddresses: try await check.scope()
        case .reportsPeer: try await check.peer()
        case .runsConcurrentExchanges: try await check.concurrency()
        }
    }
}

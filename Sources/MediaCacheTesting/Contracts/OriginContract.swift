public import MediaCache

/// The contract of `Origin` as tests that any implementation can be put to.
///
/// A script stands for the server: in the same process, or behind a ``ScriptedOriginServer``.
///
/// ```swift
/// @Test(arguments: OriginContract.Rule.allCases)
/// func keepsTheContract(_ rule: OriginContract.Rule) async throws {
///     let server = try ScriptedOriginServer()
///     let contract = OriginContract(MyOrigin(), script: server.origin) { try server.url($0) }
///     try await contract.check(rule)
/// }
/// ```
public struct OriginContract: Sendable {
    /// What an origin must do.
    public enum Rule: String, Sendable, CaseIterable {
        /// Status, header fields and body arrive as they are.
        case handsOverHeadAndBody
        /// The target arrives byte for byte, and so do the header fields; see ``Allowance/encodesTargets``.
        case sendsTheRequestAsItIs
        /// A range is answered with its bytes, also beyond 4 GiB.
        case readsRanges
        /// A redirect is handed back.
        case followsNoRedirect
        /// Coded content stays coded; see ``Allowance/decodesContent``.
        case decodesNothing
        /// An error status is an answer, no error.
        case handsErrorStatusBack
        /// A body without bytes ends at once.
        case readsEmptyBodies
        /// After the end comes the end.
        case staysAtTheEnd
        /// A body that ends before its announced length is a `badResponse`.
        case reportsTruncation
        /// A chunked body without its last chunk is a `badResponse`.
        case reportsTruncatedChunks
        /// The end of the connection ends a body without a length.
        case readsToTheEndOfTheConnection
        /// A connection that breaks in mid-body is `unreachable`.
        case reportsResets
        /// A connection that closes without an answer is `unreachable`.
        case reportsMissingAnswers
        /// A head that doesn't come is `timedOut`.
        case limitsTheFirstByte
        /// A body that stops coming is `timedOut`.
        case limitsStalls
        /// Time in which nobody asks is no stall.
        case letsTheReaderPause
        /// A reader that stops asking stops the transfer.
        case holdsLittle
        /// Cancelling a body closes the exchange.
        case closesWhenTheBodyIsCancelled
        /// Letting go of a response closes the exchange.
        case closesWhenTheBodyIsLetGo
        /// Cancelling the task closes the exchange before the head.
        case closesWhenSendingIsCancelled
        /// Cancelling the task closes the exchange in mid-body.
        case closesWhenReadingIsCancelled
        /// `AddressScope.publicOnly` keeps local addresses from being asked.
        case refusesLocalAddresses
        /// The kind of address that answered is told.
        case tellsThePeer
        /// Exchanges run side by side.
        case runsManyAtOnce
    }

    /// What an origin may do instead whose transport can't be kept from it.
    public enum Allowance: Sendable, CaseIterable {
        /// What may not stand in a URL arrives in percent encoding, and a target that would arrive as another is an
        /// `invalidURL`.
        case encodesTargets
        /// A whole body comes decoded, without its coding and its length, and a part of one is a `badResponse`.
        case decodesContent
    }

    /// A rule was broken.
    public struct Violation: Error, CustomStringConvertible {
        /// The rule.
        public var rule: Rule
        /// What was expected, and what happened.
        public var detail: String

        /// The rule and the detail, in one line.
        public var description: String { "\(rule.rawValue): \(detail)" }
    }

    let origin: any Origin
    let script: ScriptedOrigin
    let makeURL: @Sendable (String) throws -> ResourceURL
    let limit: Duration
    let heldBytes: Int64
    let allowances: Set<Allowance>
    let time: any TimeSource

    /// Prepares the tests.
    ///
    /// - Parameters:
    ///   - origin: what is tested.
    ///   - script: what its requests reach. Each rule should have one of its own.
    ///   - limit: the time limit that the rules about time set, and wait for.
    ///   - heldBytes: the most that a response may run ahead of its reader, the system's socket buffers included.
    ///   - allowances: what it's let off.
    ///   - time: what `limit` is measured on.
    ///   - makeURL: gives the URL under which a path, `/` first, reaches the script.
    public init(
        _ origin: any Origin,
        script: ScriptedOrigin,
        limit: Duration = .seconds(1),
        heldBytes: Int64 = 16 << 20,
        allowing allowances: Set<Allowance> = [],
        time: any TimeSource = SystemTime(),
        makeURL: @escaping @Sendable (String) throws -> ResourceURL
    ) {
        self.origin = origin
        self.script = script
        self.limit = limit
        self.heldBytes = heldBytes
        self.allowances = allowances
        self.time = time
        self.makeURL = makeURL
    }

    /// Puts the origin to one rule.
    ///
    /// - Throws: ``Violation``, or the error of the origin where none was due.
    public func check(_ rule: Rule) async throws {
        let check = OriginCheck(contract: self, rule: rule)
        switch rule {
        case .handsOverHeadAndBody: try await check.headAndBody()
        case .sendsTheRequestAsItIs: try await check.request()
        case .readsRanges: try await check.ranges()
        case .followsNoRedirect: try await check.redirect()
        case .decodesNothing: try await check.coding()
        case .handsErrorStatusBack: try await check.errorStatus()
        case .readsEmptyBodies: try await check.emptyBodies()
        case .staysAtTheEnd: try await check.end()
        case .reportsTruncation: try await check.truncation(.bodyShorter(by: 1000))
        case .reportsTruncatedChunks: try await check.truncation(.noContentLength, .bodyShorter(by: 1000))
        case .readsToTheEndOfTheConnection: try await check.closeDelimited()
        case .reportsResets: try await check.reset()
        case .reportsMissingAnswers: try await check.noAnswer()
        case .limitsTheFirstByte: try await check.firstByte()
        case .limitsStalls: try await check.stall()
        case .letsTheReaderPause: try await check.pause()
        case .holdsLittle: try await check.backPressure()
        case .closesWhenTheBodyIsCancelled: try await check.cancelledBody()
        case .closesWhenTheBodyIsLetGo: try await check.bodyLetGo()
        case .closesWhenSendingIsCancelled: try await check.cancelledSend()
        case .closesWhenReadingIsCancelled: try await check.cancelledRead()
        case .refusesLocalAddresses: try await check.scope()
        case .tellsThePeer: try await check.peer()
        case .runsManyAtOnce: try await check.concurrency()
        }
    }
}

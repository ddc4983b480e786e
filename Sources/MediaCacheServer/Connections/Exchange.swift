/// One request being answered. Lives on its connection's event loop.
protocol Exchange: AnyObject {
    /// Begins. The exchange ends by finishing or aborting its writer.
    func start()
    /// The client has taken bytes, or its buffer is full.
    func writabilityChanged()
    /// The client is gone.
    func cancel()
}

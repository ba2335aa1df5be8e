/** How the commands of this user reach the service, where that cannot be HTTP on a socket in the file system. */
export interface CommandChannel {
  /** A new one for each start of the service. */
  address(): string;
  serve(parts: CommandChannelParts): { stop(): Promise<void> };
}

export interface CommandChannelParts {
  socket: string;
  handle(request: Request): Promise<Response> | Response;
  onError(error: unknown): Response;
}

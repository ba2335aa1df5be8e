/** A refusal in the form of OAuth: RFC 6749 §5.2, RFC 7591 §3.2.2, RFC 8707 §2. */
export class OauthError extends Error {
  override readonly name = 'OauthError';
  readonly code: string;
  /** Where the browser goes with the refusal; null: the client or its address is not valid, so it stays here. */
  readonly location: string | null;

  constructor(code: string, description: string, location: string | null = null) {
    super(description);
    this.code = code;
    this.location = location;
  }
}

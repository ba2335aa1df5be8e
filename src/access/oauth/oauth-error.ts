/** A refusal in the form of OAuth: RFC 6749 §5.2, RFC 7591 §3.2.2, RFC 8707 §2. */
export class OauthError extends Error {
  override readonly name = 'OauthError';
  readonly code: string;

  constructor(code: string, description: string) {
    super(description);
    this.code = code;
  }
}

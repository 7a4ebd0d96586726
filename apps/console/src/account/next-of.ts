/** Where somebody came from and goes on to: an address of the console, never of another host. */
export function nextOf(params: URLSearchParams): string {
  const next = params.get('next') ?? ''
  return /^\/(?![/\\])/.test(next) ? next : '/projects'
}

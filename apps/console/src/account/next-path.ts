/** Returns the page to open after signing in: a path of the console, never of another host. */
export function nextPathOf(params: URLSearchParams): string {
  const next = params.get('next') ?? ''
  return /^\/(?![/\\])/.test(next) ? next : '/projects'
}

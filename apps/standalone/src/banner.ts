import type { Standalone } from './start.ts'

/** Returns the message after the start. Scripts rely on its ready line. */
export function formatWelcome({ url, admin }: Standalone): string {
  const password = admin.password ?? (admin.file ? `$(cat '${admin.file}')` : '<password>')
  const user = `-u "${admin.username}:${password}"`
  return [
    '',
    ...(admin.password
      ? [`  Administrator  ${admin.username}`, `  Password       ${admin.password}`, '']
      : []),
    `  Open ${url} in a browser, or try:`,
    `    curl ${user} ${url}/api/users/self`,
    `    curl ${user} ${url}/api/projects -H 'Content-Type: application/json' -d '{"name":"First","labels":[{"name":"car"}]}'`,
    '    npm run demo',
    '',
    `Reticle is ready at ${url}`,
  ].join('\n')
}

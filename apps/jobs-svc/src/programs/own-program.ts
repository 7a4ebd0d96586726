import { fileURLToPath } from 'node:url'

/**
 * Returns the arguments of Node.js that start a program of this app, a module beside the caller: `ownProgram('./draw',
 * import.meta.url)`. Sources need a loader for TypeScript.
 */
export function ownProgram(entry: string, base: string): string[] {
  if (!base.endsWith('.ts')) return [fileURLToPath(new URL(`${entry}.js`, base))]
  const path = fileURLToPath(new URL(`${entry}.ts`, base))
  return ['--conditions=@reticle/source', '--import', 'tsx', path]
}

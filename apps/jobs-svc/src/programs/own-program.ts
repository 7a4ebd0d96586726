import { fileURLToPath } from 'node:url'

/**
 * Arguments of Node.js that lead to a program of ours, a module beside the caller: `ownProgram('./draw', import.meta.url)`. Sources
 * need a loader for TypeScript.
 */
export function ownProgram(entry: string, base: string): string[] {
  if (!base.endsWith('.ts')) return [fileURLToPath(new URL(`${entry}.js`, base))]
  const path = fileURLToPath(new URL(`${entry}.ts`, base))
  return ['--conditions=@reticle/source', '--import', 'tsx', path]
}

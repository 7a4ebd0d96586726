import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { loadSync, type PackageDefinition } from '@grpc/proto-loader'

/**
 * The services and messages of `proto/`, read once a process. No defaults and no oneofs: the codec of the kit knows what
 * an absent field means. `names` are files without their ending; default: all.
 */
export function loadProtos(names?: readonly string[]): PackageDefinition {
  const files = names ? names.map((name) => `${name}.proto`) : readdirSync(protoFolder)
  return loadSync(files, { includeDirs: [protoFolder], keepCase: true, longs: Number })
}

/** The same place from `src/grpc` and from `dist/grpc`. */
const protoFolder = fileURLToPath(new URL('../../../../proto', import.meta.url))

import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { loadSync, type PackageDefinition } from '@grpc/proto-loader'

/**
 * The services and messages of `proto/`, read once a process. No defaults and no oneofs: the codec of the kit knows what
 * an absent field means. `names` are files without their ending; default: all.
 */
export function loadProtos(names?: readonly string[]): PackageDefinition {
  if (names) return read(names.map((name) => `${name}.proto`))
  all ??= read(readdirSync(protoFolder))
  return all
}

let all: PackageDefinition | undefined

function read(files: readonly string[]): PackageDefinition {
  return loadSync([...files], { includeDirs: [protoFolder], keepCase: true, longs: Number })
}

/** The same place from `src/grpc` and from `dist/grpc`. */
const protoFolder = fileURLToPath(new URL('../../../../proto', import.meta.url))

import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { loadSync, type PackageDefinition } from '@grpc/proto-loader'

/**
 * The services and messages of `proto/`, read once a process. No defaults and no oneofs: the codec of the kit knows what
 * an absent field means.
 */
export function loadProtos(): PackageDefinition {
  const options = { includeDirs: [protoFolder], keepCase: true, longs: Number }
  all ??= loadSync(readdirSync(protoFolder), options)
  return all
}

let all: PackageDefinition | undefined

/** The same place from `src/grpc` and from `dist/grpc`. */
const protoFolder = fileURLToPath(new URL('../../../../proto', import.meta.url))

import { type Client, Metadata, type ServiceError } from '@grpc/grpc-js'
import { service as health } from 'grpc-health-check'

/** Returns whether the process responds before `deadline`, in epoch milliseconds, and reports that it serves. */
export function isServing(client: Client, deadline: number): Promise<boolean> {
  const { Check } = health
  if (!Check) throw new Error('grpc-health-check has no Check')
  const status = (bytes: Buffer): unknown => Object(Check.responseDeserialize(bytes)).status
  return new Promise((resolve) => {
    client.makeUnaryRequest(
      Check.path,
      Check.requestSerialize,
      status,
      { service: '' },
      new Metadata({ waitForReady: true }),
      { deadline },
      (error: ServiceError | null, told?: unknown) => resolve(!error && told === 'SERVING'),
    )
  })
}

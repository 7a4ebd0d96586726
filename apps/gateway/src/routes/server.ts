import { restOperations, tables } from '@reticle/contracts'
import type { Operation } from '@reticle/contracts/api/operation'
import { cloudProviders } from '@reticle/contracts/rest/cloud-storages'
import { type Capabilities, type PartFacts, shareQuery } from '@reticle/contracts/rest/server'
import type { CallContext } from '@reticle/kit'
import type { FastifyInstance } from 'fastify'
import { dialects } from '../dialects/all.ts'
import { listGatewayLimits } from '../limits.ts'
import type { GatewayPorts, GatewayServices } from '../ports.ts'
import { presentResult } from '../present.ts'
import { createInputReader } from '../read.ts'
import { contextOf } from '../request.ts'
import { pathOf } from '../serve.ts'

type Ports = Pick<GatewayPorts, 'services' | 'settings'>
type Answer = (input: unknown, context: CallContext) => Promise<unknown>

/** Serves the capabilities and limits of this installation. */
export function serveServer(api: FastifyInstance, { services, settings }: Ports): void {
  const { getPlugins, getCapabilities, getLimits, listShare, getUserAgreements } = tables.server
  const serve = (operation: Operation, answer: Answer) => {
    const read = createInputReader(operation, settings)
    api.get(pathOf(operation), { config: { operation } }, async (request, reply) => {
      const input = await read(request)
      const found = await answer(input, contextOf(request))
      return presentResult(operation, request, reply, found)
    })
  }
  serve(getPlugins, async () => plugins)
  serve(getCapabilities, async (_, context) => capabilitiesOf(services, settings, context))
  serve(getLimits, async (_, context) => {
    const parts = await Promise.all(
      partDescribersOf(services).map((describe) => describe({}, context)),
    )
    return Object.assign(listGatewayLimits(settings), ...parts.map(({ limits }) => limits))
  })
  serve(listShare, async (input, context) => {
    const { entries } = await services.server.readShare(shareQuery.parse(input), context)
    return entries
  })
  serve(getUserAgreements, async () => [])
}

const partDescribersOf = ({ tasks, annotations, server, webhooks }: GatewayServices) => [
  tasks.describe,
  annotations.describe,
  server.describe,
  webhooks.describe,
]

/** Whether an operation to read events exists. */
const analytics = restOperations.some(({ path }) => path === '/events/export')

/** Plugins by name; a plugin exists if the API has its paths. */
const plugins = {
  ANALYTICS: analytics,
  MODELS: restOperations.some(({ path }) => path.startsWith('/lambda/')),
  GIT_INTEGRATION: false,
  PREDICT: false,
}

async function capabilitiesOf(
  { tasks, server }: GatewayServices,
  settings: GatewayPorts['settings'],
  context: CallContext,
): Promise<Capabilities> {
  const [projectsSvc, jobsSvc] = await Promise.all([
    tasks.describe({}, context),
    server.describe({}, context),
  ])
  const can = (part: PartFacts, name: string) => part.features[name] ?? false
  const reads = (family: string) => jobsSvc.media.includes(family)
  return {
    media: jobsSvc.media,
    image_types: jobsSvc.image_types,
    video: reads('video'),
    video_decoder: jobsSvc.video_decoder ?? null,
    pdf: reads('pdf'),
    point_cloud: reads('point_cloud'),
    cloud_providers: [...cloudProviders],
    email: can(projectsSvc, 'email'),
    registration: can(projectsSvc, 'registration'),
    analytics,
    share: can(jobsSvc, 'share'),
    max_upload_bytes: settings.maxUploadBytes,
    max_jobs_per_task: projectsSvc.limits.jobs_per_task ?? 0,
    dialects: ['service', ...dialects.keys()],
  }
}

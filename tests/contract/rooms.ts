/** Import rules of a folder of apps or packages. Names are matched by prefix. */
export interface Room {
  /** Packages of the repository, as `@reticle/<package>`, or some paths of them. */
  own: string[]
  /** Libraries; `any`: every dependency in its package.json, as the linter checks. */
  libraries: string[] | 'any'
  /** Whether it may use modules of Node.js, or which of its files may. */
  usesNode: boolean | string[]
}

const service = {
  own: ['@reticle/contracts', '@reticle/kit'],
  libraries: ['kysely', 'zod', '@node-rs/argon2', 'sharp', 'nodemailer'],
  usesNode: true,
} satisfies Room

export const rooms: Record<string, Room> = {
  'packages/geometry': { own: [], libraries: [], usesNode: false },
  'packages/contracts': { own: [], libraries: ['zod', '@grpc/proto-loader'], usesNode: true },
  'packages/formats': {
    own: ['@reticle/geometry'],
    libraries: ['sharp', 'saxes'],
    usesNode: true,
  },
  'packages/cli': {
    own: ['@reticle/sdk', '@reticle/formats'],
    libraries: ['commander', 'cli-progress'],
    usesNode: true,
  },
  'packages/kit': {
    own: [
      '@reticle/contracts/api/operation',
      '@reticle/contracts/events/define',
      '@reticle/contracts/grpc/load',
      '@reticle/contracts/principal',
      '@reticle/contracts/rest/common',
      '@reticle/contracts/rest/json-logic',
      '@reticle/contracts/rest/lists',
      '@reticle/contracts/rest/moments',
    ],
    libraries: 'any',
    usesNode: true,
  },
  'packages/sdk': { own: [], libraries: [], usesNode: ['/src/node.ts'] },
  'apps/console': {
    own: ['@reticle/sdk'],
    libraries: [
      ...['react', 'react-dom', 'wouter', '@tanstack/react-query', '@tanstack/react-virtual'],
      ...['marked', 'dompurify'],
      ...['vite', '@vitejs/plugin-react'], // vite.config.ts
    ],
    usesNode: ['/vite.config.ts', '/licences.ts'],
  },
  'apps/gateway': {
    own: ['@reticle/contracts', '@reticle/kit', '@reticle/console/index.html'],
    libraries: ['fastify', '@fastify/', 'zod', 'negotiator', 'yaml', 'ipaddr.js'],
    usesNode: true,
  },
  'apps/projects-svc': service,
  'apps/annotations-svc': {
    ...service,
    own: [...service.own, '@reticle/formats/json', '@reticle/geometry'],
  },
  'apps/jobs-svc': {
    own: [...service.own, '@reticle/formats'],
    libraries: [...service.libraries, 'node-av', '@hyzyla/pdfium'],
    usesNode: true,
  },
  'apps/webhooks-svc': service,
  'apps/standalone': {
    own: [
      '@reticle/gateway',
      '@reticle/projects-svc',
      '@reticle/annotations-svc',
      '@reticle/jobs-svc',
      '@reticle/webhooks-svc',
      '@reticle/contracts',
      '@reticle/kit',
    ],
    libraries: 'any',
    usesNode: true,
  },
  tests: {
    own: [
      ...['@reticle/standalone', '@reticle/sdk'],
      ...['@reticle/contracts', '@reticle/formats', '@reticle/kit'],
    ],
    libraries: 'any',
    usesNode: true,
  },
  bench: {
    own: [
      ...['@reticle/standalone', '@reticle/annotations-svc'],
      ...['@reticle/contracts', '@reticle/formats', '@reticle/kit'],
    ],
    libraries: 'any',
    usesNode: true,
  },
  scripts: { own: [], libraries: [], usesNode: true },
  deploy: { own: ['@reticle/contracts/grpc/load'], libraries: [], usesNode: true },
}

/** Paths of kit for services only, since the gateway has no database and no bus. */
export const notForGateway = ['@reticle/kit/db', '@reticle/kit/bus', '@reticle/kit/outbox']

/**
 * Order of the folders of an app or package, ground first: each imports only those before it. A file of `src/` that
 * folders import is listed by its name. Files that are not listed stand above all folders.
 */
export const orders: Record<string, string[]> = {
  'apps/gateway': [
    'call',
    'dialects',
    'config.ts',
    'ports.ts',
    'bodies',
    'responses',
    'plugins',
    'repeats',
    'operations',
    'reference',
    'tus',
    'routes',
  ],
  'apps/standalone': [
    'config.ts',
    'free-port.ts',
    'data-dir',
    'postgres',
    'services.ts',
    'conversion',
    'ops',
  ],
  'apps/annotations-svc': [
    'db',
    'config.ts',
    'deps.ts',
    'validation',
    'targets',
    'queries',
    'layout',
    'reading',
    'history',
    'bodies',
    'limits.ts',
    'writing',
    'upkeep',
    'statistics',
    'annotations',
    'events',
  ],
}

/** Apps and packages with folders that have no order yet. */
export const roomsWithoutOrder = [
  'apps/console',
  'apps/jobs-svc',
  'apps/projects-svc',
  'apps/webhooks-svc',
  'packages/cli',
  'packages/contracts',
  'packages/formats',
  'packages/kit',
  'packages/sdk',
]

/** Folders of projects-svc that are imported only through their index file. */
export const sealed = ['identity', 'organizations']

/** Files that contain SQL although neither their name nor their folder shows it. Lists may only become shorter. */
export const otherFilesWithSql: Record<string, string[]> = {
  'apps/projects-svc': [
    'facts.ts',
    'identity/access-tokens/purge.ts',
    'media/extents.ts',
    'scope.ts',
  ],
  'apps/jobs-svc': [
    'leases/claim.ts',
    'leases/ending.ts',
    'leases/lease.ts',
    'leases/workers.ts',
    'metrics.ts',
    'requests/depth.ts',
    'requests/ending.ts',
  ],
  'apps/webhooks-svc': ['deliveries/claim.ts', 'deliveries/sweep.ts', 'metrics.ts'],
  'apps/standalone': ['ops/restore.ts', 'start.ts'],
}

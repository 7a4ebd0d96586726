import type { operations, paths } from './document.ts'

/**
 * Compiled with the types that another generator makes from `docs/openapi.json`. It compiles only if they are right.
 */

type Answer<
  Name extends keyof operations,
  Status extends keyof operations[Name]['responses'],
> = operations[Name]['responses'][Status] extends { content: { 'application/json': infer Body } }
  ? Body
  : never

export const namesOf = (page: Answer<'listProjects', 200>): string[] =>
  page.results.map(({ name }) => name)

export const made: Answer<'createProject', 201>['status'] = 'annotation'

export const toSend: NonNullable<
  paths['/webhooks']['post']['requestBody']
>['content']['application/json'] = {
  ...{ type: 'project', project_id: 7 },
  ...{ target_url: 'https://example.org/', events: 'update:task' },
}

export function whyNot(
  failure: operations['getProject']['responses'][404]['content']['application/json'],
) {
  return 'detail' in failure ? failure.detail : failure
}
// @ts-expect-error the status does not exist
export const wrong: Answer<'createProject', 201>['status'] = 'done'

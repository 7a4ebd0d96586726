export * from './errors.ts'
export { allow, type Rule, type Standing } from './policy.ts'
export { type BytesAnswer, type Context, type Head, type Service, signedIn } from './rpc/context.ts'

import { resolve } from 'node:path';
import type { FormProvider } from '../forms/form-provider';
import type { PublishedNotification } from '../domain/notifications/published-notification';
import type { Directory } from '../people/directory';

/**
 * What a host adds or replaces. A module named by `COUNTERSIGN_EXTENSIONS` exports one as `extensions`; API and worker
 * both load it.
 * @see UT-059
 */
export interface Extensions {
  /** Beside the built-in JSON Schema provider; one of its name replaces it. */
  readonly formProviders?: readonly FormProvider[];
  /** In place of the empty directory. */
  readonly directory?: Directory;
  /**
   * Is told every notification of every tenant, by the worker, at least once: a call that rejects, or takes longer than
   * ten seconds, is made again, those of a tenant one after the other.
   */
  readonly notificationSink?: (notification: PublishedNotification) => Promise<void>;
}

/**
 * Loads a host's extensions.
 * @param path - of a module, from the working directory; undefined for none
 * @throws {Error} when the module cannot be loaded or exports no `extensions`
 */
export async function loadExtensions(path: string | undefined): Promise<Extensions> {
  if (path === undefined) return {};
  const module = (await import(resolve(path))) as { readonly extensions?: Extensions };
  if (typeof module.extensions !== 'object') throw new Error(`${path} exports no "extensions"`);
  return module.extensions;
}

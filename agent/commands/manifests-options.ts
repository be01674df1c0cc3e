import type { Config, ManifestsFlavor } from '../model/config.ts';
import type { Style } from '../view/style.ts';

/** What every `manifests` command takes: what decides the objects, and where its words go. */
export interface ManifestsOptions {
  readonly config: Config;
  readonly flavor?: ManifestsFlavor;
  readonly image?: string;
  readonly cniBinDir?: string;
  readonly controlPlane?: string;
  /** False on a node whose uplink turned out to be impossible; absent: the configuration decides. */
  readonly hasUplink?: boolean;
  /** Directory below which usr/share/microshift is; `/` on a running node. */
  readonly rootDirectory?: string;
  readonly output: 'text' | 'json';
  readonly out: (text: string) => void;
  readonly style?: Style;
}

/** What those that talk to a cluster take on top. */
export interface ClusterOptions extends ManifestsOptions {
  readonly kubeconfig?: string;
  /** How long to wait for a cluster that is starting, and for what was asked of it. */
  readonly timeoutSeconds?: number;
  /** Progress, one line at a time. */
  readonly note: (line: string) => void;
  readonly signal?: AbortSignal;
}

export interface RenderOptions extends ManifestsOptions {
  /** Write a file per object into this directory instead of one stream to the output. */
  readonly directory?: string;
  /** Also write kustomization.yaml, which lists them. */
  readonly kustomization?: boolean;
}

export interface ApplyCommandOptions extends ClusterOptions {
  /** Wait until every pod runs the new version. */
  readonly wait?: boolean;
  readonly forceConflicts?: boolean;
}

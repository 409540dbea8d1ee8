// trisweep bem --object OBJECT --n N ...: the charge of conductors by boundary elements and an H-matrix.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "apps/bem/bem_record.hpp"
#include "apps/bem/block_map.hpp"
#include "apps/bem/electrostatics.hpp"
#include "apps/bem/mesh_file.hpp"
#include "apps/bem/surface_file.hpp"
#include "command.hpp"
#include "gemv_options.hpp"
#include "krylov_options.hpp"
#include "numbers.hpp"
#include "outputs.hpp"
#include "plan_options.hpp"
#include "refuse.hpp"
#include "trisweep/core/named.hpp"
#include "trisweep/hmatrix/matrix_file.hpp"
#include "trisweep/hmatrix/preconditioners.hpp"
#include "trisweep/report/trace.hpp"
#include "trisweep/version.hpp"

namespace trisweep::cli {
namespace {

std::string list_of_objects() {
  std::string text = "Objects:\n";
  for (const auto& object : bem::objects())
    text += fmt::format("  {:<10} {}\n", object.name, object.description);
  return text;
}

struct BemCommand {
  std::string object;
  bem::ObjectOptions shape;
  bem::MeshOptions mesh_options;
  std::vector<double> radius, potential;
  bem::ChargeOptions options{.matrix = {.compression = {.eps = 1e-4}}};
  std::string cross = "aca+", precision = "adaptive", device = "native";
  bool no_recompression = false;
  int threads = 1;
  std::string json, load, save, trace, vtu, map;

  const CLI::App* sub = nullptr;

  int operator()(const Context& context) const {
    mpi::agree_on_error(context.world, [&] { check(); });
    std::optional<OutputFile> output, trace_output, vtu_output, map_output;
    std::optional<OutputFolder> matrix;
    mpi::agree_on_error(context.world, [&] {
      const std::string mesh = is_file() ? object : "";
      require_distinct(
          std::array<FileOption, 5>{
              {{"--json", json}, {"--save", save}, {"--trace", trace}, {"--vtu", vtu}, {"--block-map", map}}},
          std::array<FileOption, 2>{{{"--object", mesh}, {"--load", load}}});
      if (!context.is_root()) return;
      output = open_output(json);
      if (!save.empty())
        matrix.emplace(is_standard_output(save) ? "/dev/stdout" : save, hmatrix::foreign_to_matrix);
      trace_output = open_output(trace);
      vtu_output = open_output(vtu);
      map_output = open_output(map);
    });
    const bem::MatrixFiles files{.load = load, .save = !save.empty(), .output = matrix ? &*matrix : nullptr};
    const bem::Conductors conductors = is_file() ? read(context) : make(context);
    const auto pool =
        mpi::agree_on_error(context.world, [&] { return std::make_unique<ThreadPool>(threads); });
    engine::Recorder recorder(threads + 1);
    bem::ChargeOptions chosen = chosen_options();
    if (!trace.empty()) chosen.recorder = &recorder;
    chosen.keep_density = !vtu.empty();
    chosen.keep_map = !map.empty();
    const bem::BemRecord record{
        .version = version(),
        .object = conductors.name,
        .elements = conductors.mesh.size(),
        .repairs = conductors.repairs,
        .method = options.method,
        .preconditioner = options.preconditioner,
        .tolerance = options.solver.tolerance,
        .ranks = context.world.size(),
        .threads = threads,
        .exact_charge = conductors.exact_charge,
        .result = bem::solve_charge({context.world, *pool}, conductors, chosen, files, context.terminal),
        .machine = report::this_machine()};
    report::RankEvents events;
    if (!trace.empty()) events = context.world.gather(recorder.all());
    mpi::agree_on_error(context.world, [&] {
      if (output) output->write(bem::to_json(record));
      if (trace_output) trace_output->write(report::to_chrome_trace(events, names_of_ranks(events.size())));
      if (vtu_output) vtu_output->write(surface(conductors, record.result));
      if (map_output) map_output->write(bem::block_map(record.result.map, conductors.mesh.size()));
      for (auto* const file : {&output, &trace_output, &vtu_output, &map_output})
        if (*file) (*file)->commit();
    });
    context.terminal.print_beside({json, save, trace, vtu, map}, bem::summary(record));
    if (record.solved()) return 0;
    context.terminal.error(bem::verdict(record));
    return 1;
  }

  static std::string surface(const bem::Conductors& conductors, const bem::ChargeResult& result) {
    return bem::to_vtu(conductors.mesh,
                       std::array{bem::TriangleField{"charge density, C per m2", result.density},
                                  bem::TriangleField{"potential, V", conductors.potential}});
  }

  static std::vector<std::string> names_of_ranks(std::size_t ranks) {
    std::vector<std::string> names;
    for (std::size_t rank = 0; rank < ranks; ++rank) names.push_back(fmt::format("rank {}", rank));
    return names;
  }

  // Throws Error(usage) if an option has no effect with the object, method or device.
  void check() const {
    check_shape();
    check_pipelining_options(*sub, options.method);
    check_tolerance("--tol", options.solver.tolerance, std::numeric_limits<double>::epsilon());
    if (no_recompression)
      refuse(*sub, {"--precision"}, "--no-recompression",
             "leave one of them out: without recompression the crosses are stored in double precision");
    if (engine::find_device(device) == engine::Device::native)
      refuse(
          *sub,
          {"--kernel", "--order", "--cut", "--batch", "--streams", "--padded", "--sums", "--gpus", "--way"},
          "--device native", "use --device emulated, cuda or hip");
    check_gemv_options(*sub, options.where.gemv);
  }

  void check_shape() const {
    static constexpr std::string_view of_file[] = {"potential"};
    std::span<const std::string_view> known = of_file;
    if (!is_file()) {
      known = find_named(bem::objects(), "object", object, ", or a file of triangles").depends_on;
      refuse(*sub, {"--defects", "--closed"}, "generated objects", "name a file with --object");
    }
    for (const char* const option : {"--radius", "--distance", "--array", "--field", "--potential"}) {
      if (std::ranges::find(known, option + 2) == known.end())
        refuse(*sub, {option}, "--object " + object,
               "leave it out, or see the objects in trisweep bem --help");
    }
    const bool has_two_bodies = std::ranges::find(known, "distance") != known.end();
    if (std::max(radius.size(), potential.size()) > 1 && !has_two_bodies)
      throw Error(ErrorKind::usage,
                  fmt::format("{} with two values cannot be combined with --object {}",
                              radius.size() > 1 ? "--radius" : "--potential", object),
                  "give one, or an object of two bodies, such as spheres");
  }

  bool is_file() const { return object.find_first_of("./") != std::string::npos; }

  bem::Conductors make(const Context& context) const {
    return mpi::agree_on_error(context.world, [&] { return bem::make_object(object, chosen_shape()); });
  }

  bem::Conductors read(const Context& context) const {
    bem::TriangleMesh mesh;
    bem::MeshRepairs repairs;
    mpi::agree_on_error(context.world, [&] {
      if (shape.triangles > 0)
        throw Error(ErrorKind::usage, "the number of triangles is the file's", "leave --n out");
      if (context.is_root()) mesh = bem::read_mesh(object, mesh_options, repairs, context.terminal);
    });
    context.world.broadcast(mesh.node);
    context.world.broadcast(mesh.triangle);
    return mpi::agree_on_error(context.world, [&] {
      auto body = bem::one_body(object, std::move(mesh), chosen_shape().potential[0]);
      body.repairs = repairs;
      return body;
    });
  }

  // If only one number of a pair is given, the second follows from it.
  bem::ObjectOptions chosen_shape() const {
    bem::ObjectOptions chosen = shape;
    if (!radius.empty()) chosen.radius = {radius.front(), radius.back()};
    if (!potential.empty())
      chosen.potential = {potential.front(), potential.size() == 1 ? -potential[0] : potential[1]};
    return chosen;
  }

  bem::ChargeOptions chosen_options() const {
    bem::ChargeOptions chosen = options;
    hmatrix::BlockCompression& how = chosen.matrix.compression;
    how.cross = find_named(lowrank::crosses(), "cross", cross).method;
    how.recompress = !no_recompression;
    how.precision = find_named(lowrank::precisions(), "precision", precision).precision;
    chosen.where.device = engine::find_device(device);
    return chosen;
  }
};

void add_shape_options(CLI::App& sub, BemCommand& o) {
  sub.add_option(
         "--object", o.object,
         "Conductor: a name of the list below, or a triangulated surface (.msh of Gmsh, .stl, .obj, .ply)")
      ->required();
  sub.add_option("--n", o.shape.triangles, "Approximate number of triangles")->check(CLI::Range(1, 1 << 30));
  sub.add_option("--radius", o.radius, "Radius of the sphere, or of both spheres, or R1,R2 (m; default 0.25)")
      ->delimiter(',')
      ->expected(1, 2);
  sub.add_option("--distance", o.shape.distance, "Distance between the centers of neighbors (m)")
      ->capture_default_str();
  sub.add_option("--array", o.shape.array, "Humanoids in an M x M array")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  sub.add_option("--field", o.shape.field, "Uniform vertical field around the humanoids (V/m)")
      ->capture_default_str();
  sub.add_option_function<std::string>(
         "--defects",
         [&o](const std::string& name) {
           o.mesh_options.defects = find_named(bem::defects(), "treatment of defects", name).defects;
         },
         "Degenerate, duplicate or inconsistently oriented triangles of a file: refuse (default) or repair")
      ->check(CLI::IsMember(names_of(bem::defects())));
  sub.add_flag("--closed", o.mesh_options.closed, "Refuse a file whose surface is not closed");
  sub.add_option("--potential", o.potential,
                 "Potential of the conductor, or V1,V2 (V; default 1, and -V1 for the second)")
      ->delimiter(',')
      ->expected(1, 2);
}

// Options for the compression of the matrix.
void add_matrix_options(CLI::App& sub, BemCommand& o) {
  auto& matrix = o.options.matrix;
  sub.add_option("--load", o.load, "Read the matrix from a folder written by --save");
  sub.add_option("--save", o.save, "Write the matrix to this folder (HDF5), which all ranks see");
  sub.add_option("--eps", matrix.compression.eps, "Relative error of each block of the matrix")
      ->check(between(0, 0.5))
      ->capture_default_str();
  sub.add_option("--eta", matrix.blocks.eta,
                 "Admissibility: a block is approximated when the smaller box's diameter is at most ETA "
                 "times the distance")
      ->check(check_positive)
      ->capture_default_str();
  sub.add_option("--leaf", o.options.leaf_size, "Leaf size: maximum number of triangles in a leaf cluster")
      ->check(CLI::Range(1, 4096))
      ->capture_default_str();
  sub.add_option("--cross", o.cross, "Cross approximation of admissible blocks")
      ->check(CLI::IsMember(names_of(lowrank::crosses())))
      ->capture_default_str();
  sub.add_flag("--no-recompression", o.no_recompression,
               "Keep the crosses without recompression, in double precision (a study)");
  sub.add_option("--precision", o.precision,
                 "Storage of low-rank factors; adaptive: as few bits per value as EPS allows")
      ->check(CLI::IsMember(names_of(lowrank::precisions())))
      ->capture_default_str();
  for (const char* const about_new :
       {"--save", "--eps", "--eta", "--leaf", "--cross", "--no-recompression", "--precision"})
    sub.get_option(about_new)->excludes("--load");
}

}  // namespace

void add_bem(CLI::App& app, Run& run) {
  auto command = std::make_shared<BemCommand>();
  BemCommand& o = *command;
  CLI::App* sub =
      app.add_subcommand("bem", "Compute the charge of conductors by boundary elements and an H-matrix");
  o.sub = sub;
  sub->footer(list_of_objects());
  add_shape_options(*sub, o);
  add_matrix_options(*sub, o);
  sub->add_option("--method", o.options.method, "Iterative method")
      ->check(CLI::IsMember(names_of(krylov::methods<double>())))
      ->capture_default_str();
  sub->add_option("--preconditioner", o.options.preconditioner, described(hmatrix::preconditioners<double>()))
      ->check(CLI::IsMember(names_of(hmatrix::preconditioners<double>())))
      ->capture_default_str();
  sub->add_option("--tol", o.options.solver.tolerance, "Relative residual at which the iteration stops")
      ->check(check_below_one)
      ->capture_default_str();
  sub->add_option("--max-iterations", o.options.solver.max_iterations, "Maximum number of iterations")
      ->check(CLI::Range(1, 1 << 30))
      ->capture_default_str();
  add_pipelining_options(*sub, o.options.solver);
  CLI::Option* const device =
      add_device_option(*sub, o.device,
                        "Device of products and BiCGStab vectors: native: CPU kernels; emulated: the GPU "
                        "kernels' source on the CPU; cuda; hip");
  add_gemv_options(*sub, o.options.where.gemv);
  add_gpu_options(*sub, o.options.where.gpus, o.options.where.way);
  for (const char* const about_devices :
       {"--kernel", "--order", "--cut", "--batch", "--streams", "--padded", "--sums", "--gpus", "--way"})
    sub->get_option(about_devices)->needs(device);
  sub->add_option("--threads", o.threads, "Threads per rank")
      ->check(CLI::Range(1, most_threads))
      ->capture_default_str();
  sub->add_option("--json", o.json, "Write the run record to this file (JSON)");
  sub->add_option("--trace", o.trace, "Write a trace of the solve to this file (Perfetto, ui.perfetto.dev)");
  sub->add_option("--vtu", o.vtu, "Write the surface charge density to this file (VTU, ParaView)");
  sub->add_option("--block-map", o.map, "Draw the matrix blocks, their ranks and owners to this file (SVG)");
  sub->callback([command, &run] { run = *command; });
}

}  // namespace trisweep::cli
